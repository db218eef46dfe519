//! What the vehicle tells about itself: the services of rosapi (Humble).
//!
//! Answers have the shape of the real ones, their order of keys included. Some calls of the real
//! rosapi end its only thread, and from then on nobody gets an answer; those are here too,
//! because a console must never make them.

use std::collections::BTreeMap;

use thiserror::Error;

use super::bridge::Switch;
use super::convert::{self, ConversionError};
use super::definition::{Arity, Definition, Definitions, Field, Kind, default_value};
use super::graph::{Graph, ROSBRIDGE_NODE, Role};
use super::json::Json;
use crate::msgs::std_msgs::Time;

/// What comes of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The values of the response.
    Values(Json),
    /// The response says `result: false`, with these words.
    Failed(ServiceError),
    /// No answer, and rosapi is gone for everyone.
    NeverAgain,
    /// A vehicle's own service is called with this `data`; the vehicle answers.
    Switch(bool),
}

/// Why a call fails.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ServiceError {
    /// Nobody offers the service.
    #[error("Service {0} does not exist")]
    Absent(String),
    /// The name cannot be a service's.
    #[error("{0}")]
    BadName(String),
    /// The arguments do not fit the request.
    #[error(transparent)]
    Arguments(#[from] ConversionError),
    /// A list of more arguments than the request has fields.
    #[error("Expected {wanted} arguments but {got} were given")]
    Count {
        /// Fields of the request.
        wanted: usize,
        /// Arguments given.
        got: usize,
    },
}

impl ServiceError {
    /// The name of the exception that the server's log line mentions.
    #[must_use]
    pub fn exception(&self) -> &'static str {
        match self {
            Self::Absent(_) => "InvalidServiceException",
            Self::BadName(_) => "ValueError",
            Self::Arguments(ConversionError::NoSuchField { .. }) => "NonexistentFieldException",
            Self::Arguments(_) => "FieldTypeMismatchException",
            Self::Count { .. } => "IndexError",
        }
    }
}

/// What a service sees of the vehicle.
pub struct Surroundings<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The types on board.
    pub definitions: &'a Definitions,
    /// The present ROS time.
    pub now: Time,
    /// The vehicles' own nodes.
    pub vehicle_nodes: &'a [String],
    /// The services that they offer.
    pub switches: &'a [Switch],
}

/// Calls a service by its absolute name. Arguments are an object, or a list in the order of the
/// request's fields.
#[must_use]
pub fn call(around: &Surroundings<'_>, service: &str, arguments: &Json) -> Answer {
    if around.switches.iter().any(|switch| switch.name == service) {
        return match request_of(SET_BOOL, SET_BOOL_REQUEST, arguments) {
            Ok(_) => Answer::Switch(is_set(arguments)),
            Err(error) => Answer::Failed(error),
        };
    }
    let Some((_, type_name, request)) = SERVICES.iter().find(|(name, ..)| *name == service) else {
        return Answer::Failed(ServiceError::Absent(service.to_owned()));
    };
    let request = match request_of(type_name, request, arguments) {
        Ok(request) => request,
        Err(error) => return Answer::Failed(error),
    };
    let text = |field: &str| {
        request
            .get(field)
            .and_then(Json::as_text)
            .unwrap_or_default()
    };
    let answer = match service {
        "/rosapi/topics" => Some(topics(around)),
        "/rosapi/topic_type" => Some(topic_type(around, text("topic"))),
        "/rosapi/topics_for_type" => Some(topics_for_type(around, text("type"))),
        "/rosapi/topics_and_raw_types" => Some(topics_and_raw_types(around)),
        "/rosapi/message_details" => message_details(around.definitions, text("type")),
        "/rosapi/publishers" => Some(Json::object([(
            "publishers",
            Json::texts(around.graph.nodes_at(text("topic"), Role::Publisher)),
        )])),
        "/rosapi/subscribers" => Some(Json::object([(
            "subscribers",
            Json::texts(around.graph.nodes_at(text("topic"), Role::Subscriber)),
        )])),
        "/rosapi/nodes" => Some(Json::object([("nodes", Json::texts(nodes(around)))])),
        "/rosapi/node_details" => node_details(around, text("node")),
        "/rosapi/services" => Some(Json::object([(
            "services",
            Json::texts(
                SERVICES
                    .iter()
                    .map(|(name, ..)| *name)
                    .chain(around.switches.iter().map(|switch| switch.name.as_str())),
            ),
        )])),
        SIM_PAUSE => Some(Json::object([
            ("success", Json::Bool(true)),
            ("message", "".into()),
        ])),
        "/rosapi/service_type" => Some(service_type(around, text("service"))),
        "/rosapi/get_time" => Some(Json::object([("time", convert::time_json(around.now))])),
        "/rosapi/get_ros_version" => Some(Json::object([
            ("version", Json::Int(2)),
            ("distro", "humble".into()),
        ])),
        // get_param_names, has_param and service_request_details: on this vehicle nothing is
        // declared and no service type is described, and the real rosapi does not survive that.
        _ => None,
    };
    answer.map_or(Answer::NeverAgain, Answer::Values)
}

/// Makes the simulation stand still: `std_srvs/srv/SetBool`.
pub const SIM_PAUSE: &str = "/sim/pause";

const SET_BOOL: &str = "std_srvs/SetBool";
const SET_BOOL_REQUEST: &str = "bool data";

/// The `data` of a `SetBool` whose arguments fit.
#[must_use]
pub fn is_set(arguments: &Json) -> bool {
    let data = match arguments {
        Json::List(items) => items.first(),
        other => other.get("data"),
    };
    matches!(data, Some(Json::Bool(true)))
}

/// Name, request type and the fields of the request.
const SERVICES: [(&str, &str, &str); 17] = [
    ("/rosapi/get_param_names", "rosapi_msgs/GetParamNames", ""),
    ("/rosapi/get_ros_version", "rosapi_msgs/GetROSVersion", ""),
    ("/rosapi/get_time", "rosapi_msgs/GetTime", ""),
    ("/rosapi/has_param", "rosapi_msgs/HasParam", "string name"),
    (
        "/rosapi/message_details",
        "rosapi_msgs/MessageDetails",
        "string type",
    ),
    (
        "/rosapi/node_details",
        "rosapi_msgs/NodeDetails",
        "string node",
    ),
    ("/rosapi/nodes", "rosapi_msgs/Nodes", ""),
    (
        "/rosapi/publishers",
        "rosapi_msgs/Publishers",
        "string topic",
    ),
    (
        "/rosapi/service_request_details",
        "rosapi_msgs/ServiceRequestDetails",
        "string type",
    ),
    (
        "/rosapi/service_type",
        "rosapi_msgs/ServiceType",
        "string service",
    ),
    ("/rosapi/services", "rosapi_msgs/Services", ""),
    (
        "/rosapi/subscribers",
        "rosapi_msgs/Subscribers",
        "string topic",
    ),
    (
        "/rosapi/topic_type",
        "rosapi_msgs/TopicType",
        "string topic",
    ),
    ("/rosapi/topics", "rosapi_msgs/Topics", ""),
    (
        "/rosapi/topics_and_raw_types",
        "rosapi_msgs/TopicsAndRawTypes",
        "",
    ),
    (
        "/rosapi/topics_for_type",
        "rosapi_msgs/TopicsForType",
        "string type",
    ),
    (SIM_PAUSE, SET_BOOL, SET_BOOL_REQUEST),
];

fn request_of(type_name: &str, fields: &str, arguments: &Json) -> Result<Json, ServiceError> {
    let name = format!("{type_name}_Request");
    let mut definitions = Definitions::default();
    if let Ok(definition) = Definition::parse(&name, fields) {
        definitions.insert(definition);
    }
    let names: Vec<String> = definitions
        .get(&name)
        .map(|d| d.fields.iter().map(|f| f.name.clone()).collect())
        .unwrap_or_default();
    let object = match arguments {
        Json::List(items) if items.len() > names.len() => {
            return Err(ServiceError::Count {
                wanted: names.len(),
                got: items.len(),
            });
        }
        Json::List(items) => Json::Object(names.into_iter().zip(items.iter().cloned()).collect()),
        Json::Null => Json::Object(Vec::new()),
        other => other.clone(),
    };
    Ok(convert::message(
        &definitions,
        &name,
        &object,
        Time::default(),
    )?)
}

fn full_types(topics: &BTreeMap<String, String>) -> Json {
    Json::texts(
        topics
            .values()
            .map(|short| crate::msgs::normalized_type(short)),
    )
}

fn topics(around: &Surroundings<'_>) -> Json {
    let topics = around.graph.topics();
    Json::object([
        ("topics", Json::texts(topics.keys().cloned())),
        ("types", full_types(&topics)),
    ])
}

fn topic_type(around: &Surroundings<'_>, topic: &str) -> Json {
    let topics = around.graph.topics();
    let name = topics
        .get(topic)
        .map(|short| crate::msgs::normalized_type(short));
    Json::object([("type", Json::Text(name.unwrap_or_default()))])
}

fn topics_for_type(around: &Surroundings<'_>, wanted: &str) -> Json {
    let topics = around.graph.topics();
    let names = topics
        .iter()
        .filter(|(_, short)| crate::msgs::normalized_type(short) == wanted)
        .map(|(name, _)| name.clone());
    Json::object([("topics", Json::texts(names))])
}

fn topics_and_raw_types(around: &Surroundings<'_>) -> Json {
    let topics = around.graph.topics();
    let texts = topics
        .values()
        .map(|short| around.definitions.full_text(short));
    Json::object([
        ("topics", Json::texts(topics.keys().cloned())),
        ("types", full_types(&topics)),
        ("typedefs_full_text", Json::texts(texts)),
    ])
}

fn nodes(around: &Surroundings<'_>) -> Vec<String> {
    let mut nodes = vec![ROSBRIDGE_NODE.to_owned()];
    nodes.extend_from_slice(around.vehicle_nodes);
    nodes.extend(["/rosapi", "/rosapi_params"].map(str::to_owned));
    nodes
}

fn node_details(around: &Surroundings<'_>, node: &str) -> Option<Json> {
    if !nodes(around).iter().any(|known| known == node) {
        return None;
    }
    let own = around.switches.iter().filter(|switch| switch.node == node);
    let services: Vec<&str> = if node == "/rosapi" {
        SERVICES.iter().map(|(name, ..)| *name).collect()
    } else {
        own.map(|switch| switch.name.as_str()).collect()
    };
    Some(Json::object([
        (
            "subscribing",
            Json::texts(around.graph.topics_of(node, Role::Subscriber)),
        ),
        (
            "publishing",
            Json::texts(around.graph.topics_of(node, Role::Publisher)),
        ),
        ("services", Json::texts(services)),
    ]))
}

fn service_type(around: &Surroundings<'_>, service: &str) -> Json {
    let own = around.switches.iter().find(|switch| switch.name == service);
    let name = SERVICES
        .iter()
        .find(|(name, ..)| *name == service)
        .map(|(_, type_name, _)| *type_name)
        .or(own.map(|_| SET_BOOL))
        .map(|type_name| {
            let (package, name) = type_name.split_once('/').unwrap_or_default();
            format!("{package}/srv/{name}")
        });
    Json::object([("type", Json::Text(name.unwrap_or_default()))])
}

/// Unknown but well-formed types have no typedefs; anything else is the end of rosapi.
fn message_details(definitions: &Definitions, type_name: &str) -> Option<Json> {
    let parts: Vec<&str> = type_name
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    let short = match parts.as_slice() {
        [package, name] | [package, _, name] => format!("{package}/{name}"),
        _ => return None,
    };
    let typedefs = definitions
        .with_nested(&short)
        .into_iter()
        .map(|d| typedef(definitions, d));
    Some(Json::object([("typedefs", Json::List(typedefs.collect()))]))
}

fn typedef(definitions: &Definitions, definition: &Definition) -> Json {
    let fields = &definition.fields;
    // What rosapi calls constants is every public attribute of the Python class, fields included.
    let mut constants: BTreeMap<&str, String> = definition
        .constants
        .iter()
        .map(|(k, v)| (k.as_str(), v.clone()))
        .collect();
    for field in fields {
        constants.insert(&field.name, python_repr(definitions, field, true));
    }
    constants.insert("SLOT_TYPES", slot_types(fields));
    Json::object([
        ("type", definition.name.as_str().into()),
        (
            "fieldnames",
            Json::texts(fields.iter().map(|f| format!("_{}", f.name))),
        ),
        (
            "fieldtypes",
            Json::texts(fields.iter().map(|f| f.kind.rosbridge_name())),
        ),
        (
            "fieldarraylen",
            Json::List(fields.iter().map(array_length).collect()),
        ),
        (
            "examples",
            Json::texts(fields.iter().map(|f| example(definitions, f))),
        ),
        ("constnames", Json::texts(constants.keys().copied())),
        ("constvalues", Json::texts(constants.values().cloned())),
    ])
}

fn array_length(field: &Field) -> Json {
    Json::Int(match field.arity {
        Arity::One => -1,
        Arity::Sequence | Arity::Bounded(_) => 0,
        Arity::Fixed(count) => i128::try_from(count).unwrap_or(i128::MAX),
    })
}

fn example(definitions: &Definitions, field: &Field) -> String {
    match (&field.kind, field.arity) {
        (_, Arity::Sequence | Arity::Bounded(_) | Arity::Fixed(_)) => "[]".to_owned(),
        (Kind::Message(_), Arity::One) => "{}".to_owned(),
        _ => python_repr(definitions, field, true),
    }
}

/// The default of a field as Python prints it; inside a message, texts have quotes.
fn python_repr(definitions: &Definitions, field: &Field, is_outermost: bool) -> String {
    match (&field.kind, field.arity) {
        (_, Arity::Sequence | Arity::Bounded(_) | Arity::Fixed(_)) => "[]".to_owned(),
        (Kind::Text | Kind::WideText, _) => if is_outermost { "" } else { "''" }.to_owned(),
        (Kind::Message(name), _) => {
            let fields = definitions
                .get(name)
                .map(|d| d.fields.as_slice())
                .unwrap_or_default();
            let inside: Vec<String> = fields
                .iter()
                .map(|f| format!("{}={}", f.name, python_repr(definitions, f, false)))
                .collect();
            format!("{}({})", name.replace('/', ".msg."), inside.join(", "))
        }
        _ => default_value(definitions, field).python_str(),
    }
}

/// The real server prints Python objects with their addresses here; nobody can use them.
fn slot_types(fields: &[Field]) -> String {
    let names: Vec<String> = fields
        .iter()
        .map(|field| {
            let name = match (&field.kind, field.arity) {
                (_, Arity::Sequence) => "UnboundedSequence",
                (_, Arity::Bounded(_)) => "BoundedSequence",
                (_, Arity::Fixed(_)) => "Array",
                (Kind::Message(_), _) => "NamespacedType",
                (Kind::Text | Kind::WideText, _) => "UnboundedString",
                _ => "BasicType",
            };
            format!("<rosidl_parser.definition.{name} object at 0x7f0000000000>")
        })
        .collect();
    match names.as_slice() {
        [one] => format!("({one},)"),
        many => format!("({})", many.join(", ")),
    }
}
