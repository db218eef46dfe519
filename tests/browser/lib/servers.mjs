// Servers that are no rosbridge.

import { once } from "node:events";
import { createServer } from "node:net";
import { WebSocketServer } from "ws";

/** A port on which nobody listens. */
export async function freePort() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A WebSocket server; `greet(socket)` decides what becomes of a client. */
export async function webSocketServer(greet) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", greet);
  await once(server, "listening");
  return {
    url: `ws://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((closed) => {
        for (const client of server.clients) client.terminate();
        server.close(closed);
      }),
  };
}
