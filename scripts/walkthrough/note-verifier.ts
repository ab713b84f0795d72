/**
 * Verifies the checkpoints of a log as somebody would who knows only C2SP's specifications and Node: it shares no code with
 * the log.
 *
 * @module
 */
import { createHash, createPublicKey, verify } from 'node:crypto'

/** SubjectPublicKeyInfo before the key: RFC 8410 and RFC 9881. */
const SPKI = {
  ed25519: '302a300506032b6570032100',
  mlDsa44: '30820532300b06096086480165030403110382052100',
} as const

interface Key {
  readonly name: string
  readonly id: string
  readonly type: number
  readonly bytes: Buffer
}

/** The verifier keys, in the order given, that have signed the note. Throws if one of them signed something else. */
export function signersOf(note: string, verifierKeys: readonly string[]): string[] {
  const end = note.lastIndexOf('\n\n')
  const text = note.slice(0, end + 1)
  const lines = note
    .slice(end + 2)
    .split('\n')
    .slice(0, -1)
  return verifierKeys.filter((verifierKey) => {
    const key = keyOf(verifierKey)
    const signature = lines.map((line) => signatureBy(line, key)).find((found) => found !== null)
    if (!signature) return false
    if (!isValid(key, text, signature)) throw new Error(`${key.name} has not signed this`)
    return true
  })
}

/** The leaves of a log, hashed and reduced as RFC 6962 section 2.1 defines it. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  const hash = (prefix: number, ...parts: Buffer[]) =>
    createHash('sha256')
      .update(Buffer.from([prefix]))
      .update(Buffer.concat(parts))
      .digest()
  if (leaves.length === 0) return createHash('sha256').digest()
  if (leaves.length === 1) return hash(0, leaves[0]!)
  let k = 1
  while (2 * k < leaves.length) k *= 2
  return hash(1, rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)))
}

/** The entries of a bundle. */
export function entriesOf(bundle: Buffer): Buffer[] {
  if (bundle.length === 0) return []
  const end = 2 + bundle.readUInt16BE(0)
  return [bundle.subarray(2, end), ...entriesOf(bundle.subarray(end))]
}

function keyOf(text: string): Key {
  const [name = '', id = '', ...encoded] = text.split('+')
  const key = Buffer.from(encoded.join('+'), 'base64')
  const expected = createHash('sha256').update(`${name}\n`).update(key).digest('hex').slice(0, 8)
  if (id !== expected) throw new Error(`${name} has another id`)
  return { name, id, type: key[0] ?? 0, bytes: key.subarray(1) }
}

function signatureBy(line: string, { name, id }: Key): Buffer | null {
  const [dash, signer, encoded = ''] = line.split(' ')
  const bytes = Buffer.from(encoded, 'base64')
  return dash === '—' && signer === name && bytes.subarray(0, 4).toString('hex') === id ? bytes.subarray(4) : null
}

function isValid({ name, type, bytes }: Key, text: string, signature: Buffer): boolean {
  const [time, rest] = [signature.subarray(0, 8), signature.subarray(8)]
  if (type === 1) return verify(null, Buffer.from(text), publicKey('ed25519', bytes), signature)
  if (type === 4) {
    const message = `cosignature/v1\ntime ${time.readBigUInt64BE()}\n${text}`
    return verify(null, Buffer.from(message), publicKey('ed25519', bytes), rest)
  }
  if (type !== 6) throw new Error(`${name} has a key of an unknown type`)
  const [origin = '', size = '', root = ''] = text.split('\n')
  const numbers = Buffer.alloc(16)
  numbers.writeBigUInt64BE(BigInt(size), 8)
  const message = [
    Buffer.from('subtree/v1\n\0'),
    named(name),
    time,
    named(origin),
    numbers,
    Buffer.from(root, 'base64'),
  ]
  return verify(null, Buffer.concat(message), publicKey('mlDsa44', bytes), rest)
}

function named(text: string): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)])
}

function publicKey(algorithm: keyof typeof SPKI, bytes: Buffer) {
  const key = Buffer.concat([Buffer.from(SPKI[algorithm], 'hex'), bytes])
  return createPublicKey({ key, format: 'der', type: 'spki' })
}
