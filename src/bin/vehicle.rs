//! The simulated vehicle, or several, behind a real WebSocket.
//!
//! One thread does everything: the sockets do not block, and between two rounds it sleeps a
//! millisecond at most, so a frame is answered within about one. Commands for faults come from
//! standard input.

use std::fs::File;
use std::io::{self, BufRead, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use broomstick::ros::names;
use broomstick::units::Moment;
use broomstick::vehicle::chassis::ChassisParameters;
use broomstick::vehicle::equipment::{Camera, Equipment, EquipmentOptions};
use broomstick::vehicle::levels::{Fault, LevelsMode};
use broomstick::vehicle::rtk_source::{Geographic, geographic_from_local};
use broomstick::vehicle::{
    ClientId, Fleet, Options, Output, RpmType, RtkMode, StartPose, Steering, VehicleKind,
    VelocityType,
};
use clap::{Parser, ValueEnum};
use tungstenite::handshake::HandshakeError;
use tungstenite::handshake::server::{NoCallback, ServerHandshake};
use tungstenite::protocol::frame::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{WebSocket, WebSocketConfig};
use tungstenite::{Error, Message};

/// The real server closes a connection that sends more in one message.
const LARGEST_INBOUND: usize = 10_000_000;

/// A client that reads nothing is dropped when so much waits for it.
const LARGEST_BACKLOG: usize = 64 << 20;

/// Vehicles of one bridge start so far from each other, m.
const SPACE_BETWEEN: f64 = 4.0;

/// The longest sleep between two looks at the sockets.
const IDLE: Duration = Duration::from_millis(1);

const CONTROL_HELP: &str = "\
COMMANDS ON STANDARD INPUT, one a line:
  rtk ok             good fixes (the default)
  rtk null           position, heading and speed are null
  rtk nan            the same as bare NaN tokens: frames that are not JSON
  rtk freeze         the last fix again and again, bit for bit
  rtk silent         no fixes
  rtk quality P H    qualities of position and heading (4 is fixed, 5 float, 1 single ...)
  fault NAME         clean_empty, dirty_full, battery_low, brush_overload; or none: all is well
  tank NAME=PERCENT  fill a tank (clean, dirty) or the battery: tank clean=5
  levels ok          what tanks, battery and faults are (the default)
  levels nan         NaN in their place
  levels silent      nothing on their topics
  raw TEXT           send TEXT as a frame to every client
  quit               end

THE LOG (--log) has one JSON object a line, each with t (ms since the start) and kind:
  connect, disconnect   client
  frame                 client, op, topic, msg, outcome (published, done, dropped), reason
  event                 event (command_timeout, command_error, mc_timeout, mc_error, brake,
                        standing, moving, attitude_timeout, attitude_error, motors,
                        motors_refused, paused, resumed), detail, vehicle
  state                 ten a second, of a sweeper: vehicle: x, y, heading, v, yaw_rate, steering, brake, lat, lon, sweeper
  flight                ten a second, of a multirotor: vehicle, x, y, z, heading, vx, vy, vz, roll,
                        pitch, yaw_rate, thrust, motors, landed, lat, lon

A MULTIROTOR flies by cmd_vel (heading frame) and cmd_attitude (mavros_msgs/msg/AttitudeTarget);
  its motors are started by the service motors (std_srvs/srv/SetBool). See docs/ubot.md.

LEVELS, once a second unless --no-levels, under the namespace:
  battery_state (sensor_msgs/msg/BatteryState), tanks/clean_water, tanks/dirty_water
  (std_msgs/msg/Float32, 0 to 1), motor_current/drive, /roll_brush, /side_brush, /suction
  (std_msgs/msg/Float32, A), diagnostics (diagnostic_msgs/msg/DiagnosticArray). See docs/sweeper.md.

Numbers: steps of 10 ms; wheelbase 1.1 m, wheels up to 45 degrees; 3.0 m/s forward, 1.5 m/s back;
1.0 m/s2 to gain and 1.5 m/s2 to lose speed; cmd_vel times out after 0.5 s.";

/// Simulated vehicles behind a rosbridge that behaves like the real one (ROS 2 Humble).
///
/// A sweeper, a multirotor, or several. It moves, brushes and tanks respond, /rtk_message comes 10 times a second, and everything it
/// is sent can be logged. Accepts WebSockets on any path.
#[derive(Debug, Parser)]
#[command(name = "vehicle", version, after_help = CONTROL_HELP)]
struct Arguments {
    /// Port to listen on; 0 takes a free one. The address is printed as "listening on ws://..."
    #[arg(long, default_value_t = 9090)]
    port: u16,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Start latitude, degrees WGS84
    #[arg(long, default_value_t = Options::default().start.lat, allow_negative_numbers = true)]
    lat: f64,
    /// Start longitude, degrees WGS84
    #[arg(long, default_value_t = Options::default().start.lon, allow_negative_numbers = true)]
    lon: f64,
    /// Start heading, degrees, 0 north, clockwise
    #[arg(long, default_value_t = Options::default().start.heading_deg,
          allow_negative_numbers = true)]
    heading: f64,
    /// Namespace before every topic of the vehicle, such as robot1
    #[arg(long, default_value = "")]
    namespace: String,
    /// What kind of vehicle it is
    #[arg(long, value_enum, default_value_t = KindArgument::Sweeper)]
    kind: KindArgument,
    /// A vehicle of that kind under that namespace, such as uav1:multirotor; repeat it for several
    /// vehicles on one bridge
    #[arg(long, value_name = "NS:sweeper|multirotor", value_parser = vehicle,
          conflicts_with_all = ["kind", "namespace"])]
    vehicle: Vec<(String, VehicleKind)>,
    /// Seed of the noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds without a cmd_vel, or cmd_attitude, after which the vehicle stops; or off
    #[arg(long, default_value = "0.5", value_name = "SECS|off", value_parser = timeout)]
    cmd_timeout: MaybeTimeout,
    /// Seconds without a McCtrl after which rpm, brushes, pushers and water go off; or off
    #[arg(long, default_value = "off", value_name = "SECS|off", value_parser = timeout)]
    mc_timeout: MaybeTimeout,
    /// Wire type of McCtrl's rpm
    #[arg(long, value_enum, default_value_t = RpmArgument::Uint8)]
    rpm_type: RpmArgument,
    /// cmd_vel is geometry_msgs/msg/TwistStamped instead of Twist
    #[arg(long)]
    stamped: bool,
    /// How the vehicle steers
    #[arg(long, value_enum, default_value_t = SteeringArgument::Ackermann)]
    steering: SteeringArgument,
    /// Limit of linear speed in the vehicle's receiver, m/s; 0: none
    #[arg(long, default_value_t = 0.0)]
    max_linear: f64,
    /// Limit of angular speed in the vehicle's receiver, rad/s; 0: none
    #[arg(long, default_value_t = 0.0)]
    max_angular: f64,
    /// The brake before the first McCtrl: 0 released, 1 engaged
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=1))]
    start_brake: u8,
    /// More topics: /odom, /gps/fix
    #[arg(long)]
    sensors: bool,
    /// No /rtk_message; with --sensors a vehicle that /gps/fix and /gps/heading alone tell of
    #[arg(long)]
    no_rtk: bool,
    /// No topics for tanks, battery, motor currents and faults
    #[arg(long)]
    no_levels: bool,
    /// Begin with a fault; may be given more than once
    #[arg(long, value_name = "clean_empty|dirty_full|battery_low|brush_overload",
          value_parser = fault)]
    fault: Vec<Fault>,
    /// Begin with so much in a tank (clean, dirty) or the battery, percent; may be repeated
    #[arg(long, value_name = "NAME=PERCENT", value_parser = tank)]
    tank: Vec<(Tank, f64)>,
    /// Pictures on /camera/image/compressed, so many a second of so many bytes
    #[arg(long, value_name = "HZ:BYTES", num_args = 0..=1, default_missing_value = "5:40000",
          value_parser = camera)]
    camera: Option<Camera>,
    /// A wave on /fast (std_msgs/msg/Float64), so many messages a second
    #[arg(long, value_name = "HZ", num_args = 0..=1, default_missing_value = "1000",
          value_parser = frequency)]
    fast_topic: Option<f64>,
    /// File for the log, one JSON object a line, flushed at each
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RpmArgument {
    Uint8,
    Uint16,
    Float32,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KindArgument {
    Sweeper,
    Multirotor,
}

impl KindArgument {
    fn kind(self) -> VehicleKind {
        match self {
            Self::Sweeper => VehicleKind::Sweeper,
            Self::Multirotor => VehicleKind::Multirotor,
        }
    }
}

/// `uav1:multirotor`.
fn vehicle(text: &str) -> Result<(String, VehicleKind), String> {
    let (namespace, kind) = text.split_once(':').ok_or("not NS:KIND")?;
    if namespace.trim_matches('/').is_empty() {
        return Err("no namespace before the colon".to_owned());
    }
    let kind = KindArgument::from_str(kind, false)
        .map_err(|_| format!("{kind} is neither sweeper nor multirotor"))?;
    Ok((namespace.to_owned(), kind.kind()))
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SteeringArgument {
    Ackermann,
    Differential,
}

/// A wrapper, because clap gives a bare `Option` another meaning.
#[derive(Debug, Clone, Copy)]
struct MaybeTimeout(Option<Duration>);

fn timeout(text: &str) -> Result<MaybeTimeout, String> {
    if text == "off" {
        return Ok(MaybeTimeout(None));
    }
    let seconds: f64 = text
        .parse()
        .map_err(|_| "neither a number nor off".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(span) if !span.is_zero() => Ok(MaybeTimeout(Some(span))),
        _ => Err("not a time above 0; to switch it off say off".to_owned()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tank {
    Clean,
    Dirty,
    Battery,
}

fn tank(text: &str) -> Result<(Tank, f64), String> {
    let (name, percent) = text.split_once('=').ok_or("not NAME=PERCENT")?;
    let tank = match name {
        "clean" => Tank::Clean,
        "dirty" => Tank::Dirty,
        "battery" => Tank::Battery,
        _ => return Err("neither clean nor dirty nor battery".to_owned()),
    };
    match percent.parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok((tank, percent / 100.0)),
        _ => Err("not a number within 0 and 100".to_owned()),
    }
}

fn fault(text: &str) -> Result<Fault, String> {
    Ok(match text {
        "clean_empty" => Fault::CleanEmpty,
        "dirty_full" => Fault::DirtyFull,
        "battery_low" => Fault::BatteryLow,
        "brush_overload" => Fault::BrushOverload,
        _ => return Err("not a fault that can be provoked".to_owned()),
    })
}

fn fill(vehicle: &mut Fleet, (tank, level): (Tank, f64)) {
    let of = |which| (tank == which).then_some(level);
    vehicle.fill(of(Tank::Clean), of(Tank::Dirty), of(Tank::Battery));
}

fn frequency(text: &str) -> Result<f64, String> {
    let hz: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.01..=5000.0).contains(&hz) {
        Ok(hz)
    } else {
        Err("not within 0.01 and 5000".to_owned())
    }
}

fn camera(text: &str) -> Result<Camera, String> {
    let (hz, bytes) = text.split_once(':').ok_or("not HZ:BYTES")?;
    let bytes = bytes.parse().map_err(|_| "not a number of bytes")?;
    if bytes > 9_000_000 {
        return Err("pictures of 9,000,000 bytes at most".to_owned());
    }
    Ok(Camera {
        hz: frequency(hz)?,
        bytes,
    })
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vehicle: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let (first, others) = vehicles(arguments)?;
    let address = (arguments.host.as_str(), arguments.port);
    let listener = TcpListener::bind(address).map_err(|error| {
        format!(
            "cannot listen on {}:{}: {error}",
            arguments.host, arguments.port
        )
    })?;
    listener
        .set_nonblocking(true)
        .map_err(|error| error.to_string())?;
    let port = listener
        .local_addr()
        .map_err(|error| error.to_string())?
        .port();
    let log = match &arguments.log {
        None => None,
        Some(path) => Some(
            File::create(path)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?,
        ),
    };
    println!("listening on ws://{}:{port}", arguments.host);
    io::stdout().flush().map_err(|error| error.to_string())?;
    let started = Instant::now();
    // A multirotor has these anyway.
    let has_sensors = arguments.sensors && first.kind == VehicleKind::Sweeper;
    let mut vehicle = Fleet::of(first, others, Moment::START);
    for given in &arguments.fault {
        vehicle.provoke(Some(*given));
    }
    for given in &arguments.tank {
        fill(&mut vehicle, *given);
    }
    let more = EquipmentOptions {
        has_sensors,
        has_heading: has_sensors && arguments.no_rtk,
        camera: arguments.camera,
        fast_hz: arguments.fast_topic,
    };
    // Binary frames are packed with or without more topics, as the real server does.
    vehicle.equip(Box::new(Equipment::new(&more, Moment::START)));
    let mut host = Host {
        vehicle,
        listener,
        log,
        started,
        connections: Vec::new(),
        next_client: 1,
    };
    host.serve(&commands())
}

/// The first vehicle, and the others.
fn vehicles(arguments: &Arguments) -> Result<(Options, Vec<Options>), String> {
    let alone = options(arguments);
    let Some(((namespace, kind), others)) = arguments.vehicle.split_first() else {
        return Ok((alone, Vec::new()));
    };
    let first = Options {
        namespace: namespace.clone(),
        kind: *kind,
        ..alone.clone()
    };
    let prefix = |namespace: &str| names::namespace_prefix(namespace);
    let mut taken = vec![prefix(namespace)];
    let mut more = Vec::new();
    for ((namespace, kind), number) in others.iter().zip(1_u32..) {
        if taken.contains(&prefix(namespace)) {
            return Err(format!("two vehicles under the namespace {namespace}"));
        }
        taken.push(prefix(namespace));
        more.push(Options {
            namespace: namespace.clone(),
            kind: *kind,
            seed: alone.seed.wrapping_add(2 * u64::from(number)),
            start: beside(alone.start, f64::from(number) * SPACE_BETWEEN),
            ..alone.clone()
        });
    }
    Ok((first, more))
}

/// So many metres to the right of a start.
fn beside(start: StartPose, metres: f64) -> StartPose {
    let right = (start.heading_deg + 90.0).to_radians();
    let origin = Geographic {
        lat: start.lat,
        lon: start.lon,
    };
    let place = geographic_from_local(origin, metres * right.sin(), metres * right.cos());
    StartPose {
        lat: place.lat,
        lon: place.lon,
        ..start
    }
}

fn options(arguments: &Arguments) -> Options {
    let epoch = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Options {
        kind: arguments.kind.kind(),
        seed: arguments.seed,
        namespace: arguments.namespace.clone(),
        start: StartPose {
            lat: arguments.lat,
            lon: arguments.lon,
            heading_deg: arguments.heading,
        },
        cmd_timeout: arguments.cmd_timeout.0.unwrap_or_default(),
        mc_timeout: arguments.mc_timeout.0,
        max_linear: arguments.max_linear,
        max_angular: arguments.max_angular,
        rpm_type: match arguments.rpm_type {
            RpmArgument::Uint8 => RpmType::Uint8,
            RpmArgument::Uint16 => RpmType::Uint16,
            RpmArgument::Float32 => RpmType::Float32,
        },
        velocity_type: if arguments.stamped {
            VelocityType::TwistStamped
        } else {
            VelocityType::Twist
        },
        chassis: ChassisParameters {
            steering: match arguments.steering {
                SteeringArgument::Ackermann => Steering::Ackermann,
                SteeringArgument::Differential => Steering::Differential,
            },
            ..ChassisParameters::default()
        },
        initial_brake: arguments.start_brake,
        epoch_seconds: epoch.as_secs_f64(),
        has_command_state: true,
        has_levels: !arguments.no_levels,
        has_rtk: !arguments.no_rtk,
        is_logging: arguments.log.is_some(),
    }
}

/// The lines of standard input, read by a thread of their own because that blocks.
fn commands() -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

struct Host {
    vehicle: Fleet,
    listener: TcpListener,
    log: Option<File>,
    started: Instant,
    connections: Vec<Connection>,
    next_client: u32,
}

struct Connection {
    client: ClientId,
    stage: Stage,
}

type Handshaking = tungstenite::handshake::MidHandshake<ServerHandshake<TcpStream, NoCallback>>;

enum Stage {
    Handshake(Box<Handshaking>),
    Open(Box<WebSocket<TcpStream>>),
    Gone,
}

impl Host {
    fn serve(&mut self, commands: &Receiver<String>) -> Result<(), String> {
        loop {
            while let Ok(line) = commands.try_recv() {
                if line.trim() == "quit" {
                    return Ok(());
                }
                self.obey(&line);
            }
            self.accept();
            let was_busy = self.read();
            let now = self.now();
            self.vehicle.advance(now);
            self.write()?;
            self.connections
                .retain(|connection| !matches!(connection.stage, Stage::Gone));
            if !was_busy {
                std::thread::sleep(IDLE);
            }
        }
    }

    fn now(&self) -> Moment {
        Moment::START + self.started.elapsed()
    }

    fn obey(&mut self, line: &str) {
        if let Some(text) = line.strip_prefix("raw ") {
            self.vehicle.send_raw(text);
            return;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["rtk", "ok"] => self.vehicle.set_rtk_mode(RtkMode::Ok),
            ["rtk", "null"] => self.vehicle.set_rtk_mode(RtkMode::Null),
            ["rtk", "nan"] => self.vehicle.set_rtk_mode(RtkMode::Nan),
            ["rtk", "freeze"] => self.vehicle.set_rtk_mode(RtkMode::Frozen),
            ["rtk", "silent"] => self.vehicle.set_rtk_mode(RtkMode::Silent),
            ["rtk", "quality", position, heading] => match (position.parse(), heading.parse()) {
                (Ok(position), Ok(heading)) => self.vehicle.set_rtk_quality(position, heading),
                _ => eprintln!("vehicle: rtk quality needs two whole numbers: {line}"),
            },
            ["levels", "ok"] => self.vehicle.set_levels_mode(LevelsMode::Ok),
            ["levels", "nan"] => self.vehicle.set_levels_mode(LevelsMode::Nan),
            ["levels", "silent"] => self.vehicle.set_levels_mode(LevelsMode::Silent),
            ["fault", "none"] => self.vehicle.provoke(None),
            ["fault", name] => match fault(name) {
                Ok(fault) => self.vehicle.provoke(Some(fault)),
                Err(error) => eprintln!("vehicle: {name}: {error}"),
            },
            ["tank", given] => match tank(given) {
                Ok(given) => fill(&mut self.vehicle, given),
                Err(error) => eprintln!("vehicle: {given}: {error}"),
            },
            _ => eprintln!("vehicle: unknown command (see --help): {line}"),
        }
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            // Without TCP_NODELAY small frames wait for acknowledgements, 40 ms and more.
            if stream.set_nonblocking(true).is_err() || stream.set_nodelay(true).is_err() {
                continue;
            }
            let config = WebSocketConfig::default()
                .max_message_size(Some(LARGEST_INBOUND))
                .max_frame_size(Some(LARGEST_INBOUND))
                .max_write_buffer_size(LARGEST_BACKLOG);
            let client = ClientId(self.next_client);
            self.next_client = self.next_client.wrapping_add(1);
            let result = tungstenite::accept_with_config(stream, Some(config));
            let mut connection = Connection {
                client,
                stage: Stage::Gone,
            };
            self.take_handshake(&mut connection, result);
            self.connections.push(connection);
        }
    }

    fn take_handshake(
        &mut self,
        connection: &mut Connection,
        result: Result<
            WebSocket<TcpStream>,
            HandshakeError<ServerHandshake<TcpStream, NoCallback>>,
        >,
    ) {
        connection.stage = match result {
            Ok(socket) => {
                let now = self.now();
                self.vehicle.connect(connection.client, now);
                Stage::Open(Box::new(socket))
            }
            Err(HandshakeError::Interrupted(waiting)) => Stage::Handshake(Box::new(waiting)),
            Err(HandshakeError::Failure(_)) => Stage::Gone,
        };
    }

    /// Reads everything that has arrived. True when there was anything.
    fn read(&mut self) -> bool {
        let mut was_busy = false;
        let mut connections = std::mem::take(&mut self.connections);
        for connection in &mut connections {
            match std::mem::replace(&mut connection.stage, Stage::Gone) {
                Stage::Gone => {}
                Stage::Handshake(waiting) => {
                    self.take_handshake(connection, waiting.handshake());
                }
                Stage::Open(mut socket) => {
                    let (is_open, had_frames) = self.read_socket(connection.client, &mut socket);
                    was_busy |= had_frames;
                    if is_open {
                        connection.stage = Stage::Open(socket);
                    } else {
                        let now = self.now();
                        self.vehicle.disconnect(connection.client, now);
                    }
                }
            }
        }
        self.connections = connections;
        was_busy
    }

    fn read_socket(&mut self, client: ClientId, socket: &mut WebSocket<TcpStream>) -> (bool, bool) {
        let mut had_frames = false;
        loop {
            match socket.read() {
                Ok(Message::Text(text)) => {
                    had_frames = true;
                    let now = self.now();
                    self.vehicle.receive(client, text.as_str(), now);
                }
                Ok(Message::Binary(bytes)) => {
                    had_frames = true;
                    // The real server takes UTF-8 in binary frames, and dies of anything else.
                    let Ok(text) = std::str::from_utf8(&bytes) else {
                        return (false, had_frames);
                    };
                    let now = self.now();
                    self.vehicle.receive(client, text, now);
                }
                Ok(_) => had_frames = true,
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                    return (true, had_frames);
                }
                Err(Error::Capacity(_)) => {
                    let frame = CloseFrame {
                        code: CloseCode::Size,
                        reason: "message too big".into(),
                    };
                    // The connection ends whether or not the client learns why.
                    socket
                        .close(Some(frame))
                        .and_then(|()| socket.flush())
                        .unwrap_or_default();
                    return (false, had_frames);
                }
                Err(_) => return (false, had_frames),
            }
        }
    }

    /// Hands out what the vehicle put out. Only a log that cannot be written is an error.
    fn write(&mut self) -> Result<(), String> {
        while let Some(output) = self.vehicle.poll() {
            match output {
                Output::Log(line) => {
                    if let Some(log) = &mut self.log {
                        let text = format!("{}\n", line.to_json());
                        log.write_all(text.as_bytes())
                            .map_err(|error| format!("cannot write the log: {error}"))?;
                    }
                }
                Output::Frame { client, text } => self.send(client, Message::text(text)),
                Output::Binary { client, bytes } => self.send(client, Message::binary(bytes)),
            }
        }
        for connection in &mut self.connections {
            if let Stage::Open(socket) = &mut connection.stage {
                socket.flush().unwrap_or_default();
            }
        }
        Ok(())
    }

    fn send(&mut self, client: ClientId, message: Message) {
        let connection = self.connections.iter_mut().find(|c| c.client == client);
        let Some(connection) = connection else {
            return;
        };
        let Stage::Open(socket) = &mut connection.stage else {
            return;
        };
        // Other faults of the socket show at the next read.
        if let Err(Error::WriteBufferFull(_)) = socket.write(message) {
            connection.stage = Stage::Gone;
            let now = self.now();
            self.vehicle.disconnect(client, now);
        }
    }
}
