/** The wire type of each field that a decoder knows: a number, or bytes with their length. */
export type Form = Readonly<Record<number, 'number' | 'bytes'>>

const WIRE_TYPES = { number: 0, bytes: 2 } as const

/**
 * Whether a Protobuf message has these fields only, at most `most` of them. Counts without decoding, because a decoder
 * makes an object of each field: strangers choose how many there are. What lies in the fields is not read.
 */
export function hasFewFields(message: Uint8Array, form: Form, most: number): boolean {
  let at = 0
  /** Null at the end of the message, and for a number above 2^53. */
  const number = (): number | null => {
    for (let [value, scale] = [0, 1]; at < message.length && scale <= 2 ** 63; scale *= 128) {
      const byte = message[at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    return null
  }
  for (let fields = 0; at < message.length; fields++) {
    const tag = number()
    const kind = tag === null ? undefined : form[Math.floor(tag / 8)]
    if (fields === most || !kind || tag === null || tag % 8 !== WIRE_TYPES[kind]) return false
    const length = number()
    if (length === null) return false
    if (kind === 'bytes') at += length
  }
  return at === message.length
}
