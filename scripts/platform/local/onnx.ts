/**
 * Writes models as ONNX files, the few parts of the format that `local-model.ts` needs. Numbers of members are those of
 * onnx.proto (onnx.ai); the encoding is Protocol Buffers.
 *
 * @module
 */

type Part = Uint8Array<ArrayBuffer>

export const ELEMENTS = { float: 1, int8: 3 } as const

export interface Node {
  readonly operator: string
  readonly inputs: readonly string[]
  readonly output: string
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>
}

export interface Weights {
  readonly name: string
  readonly shape: readonly number[]
  readonly values: Int8Array<ArrayBuffer>
}

/** A tensor of single-precision numbers that the model takes or gives. */
export interface Port {
  readonly name: string
  readonly shape: readonly number[]
}

export interface Model {
  readonly name: string
  readonly nodes: readonly Node[]
  readonly weights: readonly Weights[]
  readonly input: Port
  readonly output: Port
}

const IR_VERSION = 8
const OPERATOR_SET = 13
const ATTRIBUTE = { int: 2, ints: 7 } as const

export function writeModel({ name, nodes, weights, input, output }: Model): Part {
  const graph = joined([
    ...nodes.map((node) => bytes(1, nodePart(node))),
    text(2, name),
    ...weights.map((tensor) => bytes(5, weightsPart(tensor))),
    bytes(11, portPart(input)),
    bytes(12, portPart(output)),
  ])
  return joined([number(1, IR_VERSION), bytes(7, graph), bytes(8, joined([text(1, ''), number(2, OPERATOR_SET)]))])
}

function nodePart({ operator, inputs, output, attributes = {} }: Node): Part {
  const named = Object.entries(attributes).map(([name, value]) =>
    typeof value === 'number'
      ? joined([text(1, name), number(3, value), number(20, ATTRIBUTE.int)])
      : joined([text(1, name), ...value.map((one) => number(8, one)), number(20, ATTRIBUTE.ints)]),
  )
  return joined([
    ...inputs.map((input) => text(1, input)),
    text(2, output),
    text(4, operator),
    ...named.map((attribute) => bytes(5, attribute)),
  ])
}

function weightsPart({ name, shape, values }: Weights): Part {
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  return joined([...shape.map((side) => number(1, side)), number(2, ELEMENTS.int8), text(8, name), bytes(9, raw)])
}

function portPart({ name, shape }: Port): Part {
  const sides = joined(shape.map((side) => bytes(1, number(1, side))))
  const tensor = joined([number(1, ELEMENTS.float), bytes(2, sides)])
  return joined([text(1, name), bytes(2, bytes(1, tensor))])
}

/** A member that holds a whole number. */
function number(member: number, value: number): Part {
  return joined([varint(member << 3), varint(value)])
}

/** A member that holds bytes, or another message. */
function bytes(member: number, value: Part): Part {
  return joined([varint((member << 3) | 2), varint(value.length), value])
}

function text(member: number, value: string): Part {
  return bytes(member, new TextEncoder().encode(value))
}

/** Seven bits in each byte, the lowest first. Two's complement, as negative numbers are written, takes ten bytes. */
function varint(value: number): Part {
  let rest = BigInt.asUintN(64, BigInt(value))
  const out: number[] = []
  do {
    const more = rest > 0x7fn
    out.push(Number(rest & 0x7fn) | (more ? 0x80 : 0))
    rest >>= 7n
  } while (rest > 0n)
  return Uint8Array.from(out)
}

function joined(parts: readonly Part[]): Part {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}
