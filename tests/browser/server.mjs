// A plain static server for dist/, as a vehicle's web server would serve it: files only, under any
// path, with the strict content security policy of README.md.
//
//   node tests/browser/server.mjs [--dist DIR] [--base /some/path/] [--port 8000]

import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { readFile, stat } from "node:fs/promises";
import { extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self'",
  "img-src 'self' data: blob: https: http:",
  "connect-src 'self' ws: wss: http: https:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

export const DEFAULT_DIST = fileURLToPath(new URL("../../dist", import.meta.url));

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".txt": "text/plain; charset=utf-8",
};

/**
 * Serves `dist` on the loopback interface.
 *
 * - `base`: the path that the page stands under, with a slash at both ends.
 * - `port`: 0 picks a free one.
 * - `tls`: `{ key, cert }` to serve over https.
 * - `policy`: another content security policy; `{origin}` in it becomes the server's own.
 * - `overrides`: from a file's name to `{ status, type, body }`, answered instead of the file; a
 *   test puts a faulty profile or a missing program there. It may be changed while serving.
 * - `more`: asked first, with a file's name; its promise may bring such an answer, or undefined, or
 *   never settle, as a server that hangs.
 * - `hasRanges`: parts of files are sent to those who ask for them, as most servers do.
 *
 * Returns `{ url, port, requests, overrides, close }`; `requests` grows by one path per request.
 */
export async function serve({
  dist = DEFAULT_DIST,
  base = "/",
  port = 0,
  tls,
  policy = CONTENT_SECURITY_POLICY,
  overrides = {},
  more = async () => undefined,
  hasRanges = true,
} = {}) {
  const root = resolve(dist);
  const requests = [];
  let origin = "";
  const respond = (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    requests.push(path);
    answer(root, base, path, overrides, more).then(
      (whole) => {
        const { status, type, body, headers } = hasRanges ? ranged(whole, request.headers.range) : whole;
        response.writeHead(status, {
          ...headers,
          "Content-Type": type,
          "Content-Security-Policy": policy.replaceAll("{origin}", origin),
          "X-Content-Type-Options": "nosniff",
          "Cache-Control": "no-cache",
        });
        response.end(request.method === "HEAD" ? undefined : body);
      },
      (error) => {
        response.writeHead(500, { "Content-Type": TYPES[".txt"] });
        response.end(String(error));
      },
    );
  };
  const server = tls ? createSecureServer(tls, respond) : createServer(respond);
  await new Promise((listening, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", listening);
  });
  const bound = server.address().port;
  origin = `${tls ? "https" : "http"}://127.0.0.1:${bound}`;
  return {
    url: `${origin}${base}`,
    port: bound,
    requests,
    overrides,
    close: () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  };
}

async function answer(root, base, path, overrides, more) {
  if (!path.startsWith(base)) return notFound(path);
  const name = path.slice(base.length) || "index.html";
  const other = await more(name);
  if (other) return { status: 200, type: TYPES[extname(name)] ?? "application/octet-stream", body: "", ...other };
  if (Object.hasOwn(overrides, name)) {
    return { status: 200, type: TYPES[extname(name)] ?? "application/octet-stream", body: "", ...overrides[name] };
  }
  const file = join(root, name);
  if (!file.startsWith(root + sep)) return notFound(path);
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return notFound(path);
  return { status: 200, type: TYPES[extname(file)] ?? "application/octet-stream", body: await readFile(file) };
}

/** The part of a file that `bytes=from-to` asks for. */
function ranged(whole, range) {
  const asked = /^bytes=(\d+)-(\d+)$/.exec(range ?? "");
  if (whole.status !== 200 || !asked) return whole;
  const body = Buffer.from(whole.body);
  const [from, to] = [Number(asked[1]), Math.min(Number(asked[2]), body.length - 1)];
  if (from > to) return { ...whole, status: 416, body: "" };
  const headers = { "Content-Range": `bytes ${from}-${to}/${body.length}` };
  return { ...whole, status: 206, body: body.subarray(from, to + 1), headers };
}

function notFound(path) {
  return { status: 404, type: TYPES[".txt"], body: `not found: ${path}\n` };
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      dist: { type: "string", default: DEFAULT_DIST },
      base: { type: "string", default: "/" },
      port: { type: "string", default: "8000" },
    },
  });
  const server = await serve({ dist: values.dist, base: values.base, port: Number(values.port) });
  console.log(server.url);
}
