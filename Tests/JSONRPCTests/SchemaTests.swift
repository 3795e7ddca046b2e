import JSON
import Testing
import ValueTree

@testable import JSONRPC

@Suite struct SchemaTests {
  static let name = Schema.named("Name", .string(byteCount: 1...4, pattern: "^a"))
  static let data = Schema.oneOf([
    .object([.init("first", name)]), .object([.init("last", .enumeration(["x", "y"]))]), .null,
    .choice([.init("left", .boolean), .init("right", .boolean)]),
  ])
  static let field = Schema.choice([.init("first", name), .init("size", .integer(1...9))])
  static let all = Schema.object([
    .init("data", data, "What is sent."),
    .optional("list", .array(.integer(1...9), maximumCount: 2)),
    .optional("flag", .boolean), .optional("rate", .number),
    .optional("more", .object([], allowsAdditional: true)),
    .optional("name", name, "A name."),
    .optional("field", field),
  ])

  @Test(
    arguments: [
      (#"{"data":{"first":"a"}}"#, nil, nil),
      (#"{"data":null,"list":[1,9],"flag":true,"rate":1,"more":{"a":1}}"#, nil, nil),
      (#"[]"#, "", "must be an object"),
      (#"{}"#, "/data", "is required"),
      (#"{"data":{"first":""}}"#, "/data/first", "must have at least 1 bytes"),
      (#"{"data":{"first":"éabc"}}"#, "/data/first", "must have at most 4 bytes"),
      (#"{"data":{"first":5}}"#, "/data/first", "must be a string"),
      (#"{"data":{"last":"z"}}"#, "/data/last", "must be one of x, y"),
      (#"{"data":{"other":1}}"#, "/data", "has none of the 4 shapes allowed here"),
      (#"{"data":{"left":true}}"#, nil, nil),
      (#"{"data":{"right":1}}"#, "/data/right", "must be a Boolean"),
      (
        #"{"data":{"left":true,"right":true}}"#, "/data", "has none of the 4 shapes allowed here"
      ),
      (#"{"data":5}"#, "/data", "has none of the 4 shapes allowed here"),
      (#"{"data":null,"list":[1,10]}"#, "/list/1", "must be from 1 to 9"),
      (#"{"data":null,"list":[1.0,9e0]}"#, nil, nil),
      (#"{"data":null,"list":[1.5]}"#, "/list/0", "must be a 64-bit integer"),
      (#"{"data":null,"list":[1,1e1]}"#, "/list/1", "must be from 1 to 9"),
      (#"{"data":null,"list":[1,2,3]}"#, "/list", "must have at most 2 elements"),
      (#"{"data":null,"field":{"first":"a"}}"#, nil, nil),
      (#"{"data":null,"field":{"size":10}}"#, "/field/size", "must be from 1 to 9"),
      (#"{"data":null,"field":{"other":1}}"#, "/field/other", "is not known here"),
      (#"{"data":null,"field":{}}"#, "/field", "must have exactly one member"),
      (
        #"{"data":null,"field":{"first":"a","size":1}}"#, "/field", "must have exactly one member"
      ),
      (#"{"data":null,"field":[1]}"#, "/field", "must be an object"),
      (#"{"data":null,"a/b~c":1}"#, "/a~1b~0c", "is not known here"),
      (
        #"{"data":null,"\#(String(repeating: "x", count: 65))":1}"#, "",
        "has a member that is not known here"
      ),
    ] as [(String, String?, String?)])
  func `the first difference is found and named`(
    text: String, path: String?, description: String?
  ) throws {
    let bytes = Array(text.utf8)
    let found = try unsafe bytes.withUnsafeBytes { text in
      unsafe try JSONReader().read(text) { Self.all.violation(in: $0) }
    }
    #expect(found?.path == path && found?.description == description)
  }

  @Test func `a schema writes itself`() {
    let expected: Value = [
      "type": "object",
      "properties": [
        "data": [
          "description": "What is sent.",
          "oneOf": [
            [
              "type": "object", "properties": ["first": ["$ref": "#/components/schemas/Name"]],
              "required": ["first"], "additionalProperties": false,
            ],
            [
              "type": "object", "properties": ["last": ["type": "string", "enum": ["x", "y"]]],
              "required": ["last"], "additionalProperties": false,
            ],
            ["type": "null"],
            [
              "type": "object",
              "properties": ["left": ["type": "boolean"], "right": ["type": "boolean"]],
              "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
            ],
          ],
        ],
        "list": [
          "type": "array", "items": ["type": "integer", "minimum": 1, "maximum": 9], "maxItems": 2,
        ],
        "flag": ["type": "boolean"],
        "rate": ["type": "number"],
        "more": ["type": "object", "properties": .object([])],
        "name": [
          "description": "A name.", "allOf": [["$ref": "#/components/schemas/Name"]],
        ],
        "field": [
          "type": "object",
          "properties": [
            "first": ["$ref": "#/components/schemas/Name"],
            "size": ["type": "integer", "minimum": 1, "maximum": 9],
          ],
          "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
        ],
      ],
      "required": ["data"],
      "additionalProperties": false,
    ]
    #expect(Self.all.document == expected, "\(Self.all.document.jsonText)")
    var named: [Value.Member] = []
    Self.all.collectNamed(into: &named)
    #expect(
      Value.object(named) == [
        "Name": [
          "type": "string", "minLength": 1, "maxLength": 4, "x-maxBytes": 4, "pattern": "^a",
        ]
      ])
  }
}
