// Starts the page's wasm, and says in words when it cannot start.
//
// It is a file of its own because the content security policy refuses scripts inside the page.
// The names of what it starts change with every build and come from its own script element.

const own = document.querySelector("script[data-wasm]");

start().catch(showFailure);

async function start() {
  if (typeof WebAssembly !== "object") {
    throw cause(
      "This browser has no WebAssembly. Use a current Chrome, Edge, Firefox or Safari.",
      "此浏览器不支持 WebAssembly，请使用新版 Chrome、Edge、Firefox 或 Safari。",
    );
  }
  const program = await load(own.dataset.js, own.dataset.wasm);
  // The page's Workers run the same program.
  window.broomstickProgram = { ...program, viewer: tellViewer, beep };
  await program.run();
  // The program draws the page; what stood here while it loaded goes when it has started.
  document.getElementById("boot")?.remove();
}

async function load(js, wasm) {
  const program = new URL(js, document.baseURI);
  const [{ default: init }, bytes] = await Promise.all([
    importProgram(program),
    fetchWasm(new URL(wasm, document.baseURI)),
  ]);
  // Not compileStreaming: it depends on the server knowing the media type.
  const module = await WebAssembly.compile(bytes);
  // The name of its starting function is another one in a minified build.
  return { module, glue: program.href, init: init.name, run: () => init({ module_or_path: module }) };
}

// The settings and the topics are a program of their own, loaded when the page first has something to
// tell it; what is told waits in the channel. When it cannot be loaded, or when it broke, the next word
// tries again. Answers the port by which another one will speak, once.
let channel;
let viewer;
let failure;
let loads = 0;
let opened;
function tellViewer(bytes, port) {
  const isNew = !channel;
  channel ??= new MessageChannel();
  channel.port1.postMessage(bytes, port ? [port] : []);
  if (!viewer) loadViewer();
  return isNew ? channel.port1 : undefined;
}

function loadViewer() {
  failure?.remove();
  // Its files keep their names: with those of this build no cache brings another one. One that broke
  // is kept by the browser under its address.
  const build = `?${own.dataset.js.split("/").pop()}${loads++ ? `&${loads}` : ""}`;
  const mine = (viewer = { build, port: channel.port2, opened });
  load(`viewer.js${build}`, `viewer_bg.wasm${build}`)
    .then((program) => {
      window.broomstickViewer = Object.assign(mine, program);
      return whenFree(program.run);
    })
    .catch((error) => {
      if (viewer !== mine) return;
      viewer = undefined;
      console.error(error);
      fail(line("en", error.en ?? error), line("zh", error.zh));
    });
}

/** Starting it takes the page's time, and what is held would end with its lease: unless it is asked for. */
async function whenFree(run) {
  const held = '.console:not(:has(.sheet:not([hidden]))) :is(.pressed, [data-held="true"])';
  while (document.querySelector(held)) await new Promise((next) => setTimeout(next, 100));
  return run();
}

function fail(...lines) {
  failure = line("", "");
  failure.className = "failure";
  failure.dataset.testid = "topics-failed";
  failure.append(...lines);
  // The open settings hide what lies under them.
  const open = document.querySelector(".sheet > .settings:not([hidden])");
  (open ?? document.querySelector(".stack")).append(failure);
}

// What broke in it has left its sheet over the console, and its Worker at work.
window.addEventListener("error", ({ error }) => {
  if (!viewer || !error?.stack?.includes(`viewer.js${viewer.build}:`)) return;
  viewer.worker?.terminate();
  // It does not open by itself again.
  opened = viewer.opened;
  channel = viewer = undefined;
  for (const part of document.querySelectorAll(".topics, .camera, .command, .survey, .ground, .settings > .settings, .machine > *")) part.remove();
  fail(
    line("en", "The settings and topics program broke. Driving is not affected. Open them again."),
    line("zh", "设置与话题程序出错，不影响驾驶。请重新打开。"),
    line("en", error),
  );
});

// While the vehicle is told to go backwards, once a second.
let audio;
let beeping;
function beep(isOn) {
  clearInterval(beeping);
  if (!isOn || !window.AudioContext) return;
  audio ??= new AudioContext();
  audio.resume();
  const once = () => {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = 1000;
    volume.gain.value = 0.2;
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.35);
  };
  once();
  beeping = setInterval(once, 1000);
}

async function importProgram(url) {
  try {
    return await import(url.href);
  } catch (error) {
    throw notLoaded(url, error);
  }
}

async function fetchWasm(url) {
  let response;
  try {
    // As the preload in the page asks for it, so that it is fetched once.
    response = await fetch(url, { credentials: "same-origin" });
  } catch (error) {
    throw notLoaded(url, error);
  }
  if (!response.ok) {
    throw notLoaded(url, `HTTP ${response.status} ${response.statusText}`);
  }
  return response.arrayBuffer();
}

function notLoaded(url, detail) {
  const name = url.pathname.split("/").pop();
  return cause(
    `${name} could not be loaded: the link to the vehicle broke, or the page was replaced by a newer one. Reload.`,
    `无法加载 ${name}：与车辆的连接中断，或页面已更新。请重新加载。`,
    detail,
  );
}

function cause(en, zh, detail) {
  return Object.assign(new Error(en), { en, zh, detail });
}

function showFailure(error) {
  console.error(error);
  const words = document.getElementById("boot-words");
  const reason = document.getElementById("boot-cause");
  // The program may have drawn over these, when it failed only after it had started.
  if (!words || !reason) return;
  words.parentElement.setAttribute("role", "alert");
  words.parentElement.dataset.state = "failed";
  words.replaceChildren(
    line("en", "The page could not start. Nothing is sent to the vehicle."),
    line("zh", "页面无法启动，未向车辆发送任何指令。"),
  );
  reason.replaceChildren(
    line("en", error.en ?? "Its program stopped while starting: this browser may be too old, or the page was blocked."),
    line("zh", error.zh ?? "程序在启动时停止：浏览器可能过旧，或页面被拦截。"),
    line("en", String(error.detail ?? (error.en ? "" : error))),
  );
}

function line(lang, text) {
  const element = document.createElement("span");
  element.lang = lang;
  element.textContent = text;
  element.className = "boot-line";
  return element;
}
