// What a careful tutorial makes of roslib and nipplejs: the velocity is sent again and again while the
// stick is held, a zero when it is let go, nothing without a connection, and a lost connection is
// opened again.

import nipplejs from "nipplejs";
import { Ros, Topic } from "roslib";

const MAX_LINEAR = 0.3;
const MAX_ANGULAR = 0.8;
const PERIOD = 50;
const RECONNECT_AFTER = 1000;

const url = new URLSearchParams(location.search).get("url");
const ros = new Ros();
const cmdVel = new Topic({ ros, name: "/cmd_vel", messageType: "geometry_msgs/msg/Twist", queue_size: 1 });

function show(state) {
  document.getElementById("link").textContent = state;
}

function connect() {
  ros.connect(url).catch(() => undefined);
}

ros.on("connection", () => show("connected"));
ros.on("error", () => show("error"));
ros.on("close", () => {
  show("closed");
  setTimeout(connect, RECONNECT_AFTER);
});
connect();

let linear = 0;
let angular = 0;
let timer;

function send() {
  if (!ros.isConnected) return;
  cmdVel.publish({ linear: { x: linear, y: 0, z: 0 }, angular: { x: 0, y: 0, z: angular } });
}

const stick = nipplejs.create({
  zone: document.getElementById("stick"),
  mode: "static",
  position: { left: "50%", top: "50%" },
  size: 240,
});

stick.on("start", () => {
  clearInterval(timer);
  timer = setInterval(send, PERIOD);
});

stick.on("move", ({ data }) => {
  linear = data.vector.y * MAX_LINEAR;
  angular = -data.vector.x * MAX_ANGULAR;
});

stick.on("end", () => {
  clearInterval(timer);
  linear = 0;
  angular = 0;
  send();
});
