// A self-signed certificate for 127.0.0.1, made for one test run. Node can sign but not make a
// certificate, so the few DER structures are written here.

import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** `{ key, cert }` in PEM, good for a day. */
export function selfSigned() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(set(sequence(oid("550403"), tagged(0x0c, Buffer.from("broomstick test")))));
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const day = 86_400_000;
  const address = tagged(0x87, Buffer.from([127, 0, 0, 1]));
  const toBeSigned = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(Date.now() - day), time(Date.now() + day)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(sequence(oid("551d11"), tagged(0x04, sequence(address))))),
  );
  const signature = sign("sha256", toBeSigned, createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" })));
  const certificate = sequence(toBeSigned, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = certificate.toString("base64").match(/.{1,64}/g).join("\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function tagged(tag, content) {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts) {
  return tagged(0x30, Buffer.concat(parts));
}

function set(...parts) {
  return tagged(0x31, Buffer.concat(parts));
}

function oid(hex) {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

function time(moment) {
  const digits = new Date(moment).toISOString().replaceAll(/[-:T]|\.\d+/g, "").slice(2);
  return tagged(0x17, Buffer.from(digits));
}
