import { base64 } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { ML_DSA_LOG_CHECKPOINT, ML_DSA_LOG_KEY } from './ml-dsa-44.fixture.ts'
import { parseVerifierKey, signingKeyOf, verifierOf } from './note-keys.ts'
import {
  formatNote,
  isKeyName,
  MAX_SIGNATURES,
  type Note,
  noteText,
  parseNote,
  parseSignatureLines,
  SIGNATURE_TYPES,
  signNote,
  verifyNote,
} from './signed-note.ts'
import {
  COSIGNED,
  ENOCH_KEY,
  ENOCH_LINE,
  MIRRORED,
  PETER_KEY,
  PETER_LINE,
  PETER_SEED,
  PETER_TEXT,
  SPEC_KEY,
  SPEC_NOTE,
  TIMESTAMPED,
} from './vectors.fixture.ts'

const verifierFor = (key: string) => verifierOf(parseVerifierKey(key)!)
const noteOf = (text: string) => parseNote(text) as Note
const peter = verifierFor(PETER_KEY)
const enoch = verifierFor(ENOCH_KEY)

describe('notes', () => {
  it.each([
    ['the specification', SPEC_KEY, SPEC_NOTE],
    ['golang.org/x/mod', PETER_KEY, `${PETER_TEXT}\n${PETER_LINE}\n`],
    ['golang.org/x/mod', ENOCH_KEY, `${PETER_TEXT}\n${ENOCH_LINE}\n`],
    ['sunlight', COSIGNED[0].key, COSIGNED[0].note],
    ['sunlight', COSIGNED[1].key, COSIGNED[1].note],
    ['sunlight', MIRRORED.key, MIRRORED.note],
    ['torchwood', ML_DSA_LOG_KEY, ML_DSA_LOG_CHECKPOINT],
  ])('of %s are verified, and changed ones are not', async (_, key, text) => {
    const note = noteOf(text)
    const verifier = verifierFor(key)
    const verified = await verifyNote(note, [verifier])
    expect(verified).toMatchObject({ ok: true, value: [{ name: verifier.name, keyId: verifier.keyId }] })
    expect(formatNote(note)).toBe(text)
    const changed = { ...note, text: note.text.replace(/[a-z]/, 'X') }
    expect(await verifyNote(changed, [verifier])).toEqual({ ok: false, error: 'invalid_signature' })
    for (const at of [0, 20, -1]) {
      const signatures = note.signatures.map((line) => ({
        ...line,
        signature: line.signature.map((byte, i, all) => (i === (at + all.length) % all.length ? byte ^ 1 : byte)),
      }))
      expect(await verifyNote({ ...note, signatures }, [verifier])).toEqual({ ok: false, error: 'invalid_signature' })
    }
  })

  it('are signed as golang.org/x/mod signs them', async () => {
    const signer = await signingKeyOf('PeterNeumann', SIGNATURE_TYPES.ed25519, base64.decode(PETER_SEED))
    expect(signer.verifierKey).toBe(PETER_KEY)
    expect(formatNote(await signNote(PETER_TEXT, [signer], 0))).toBe(`${PETER_TEXT}\n${PETER_LINE}\n`)
  })

  it('tell known keys from others', async () => {
    const note = noteOf(`${PETER_TEXT}\n${PETER_LINE}\n${ENOCH_LINE}\n`)
    const names = async (verifiers: Parameters<typeof verifyNote>[1]) => {
      const verified = await verifyNote(note, verifiers)
      return verified.ok ? verified.value.map(({ name }) => name) : verified.error
    }
    expect(await names([peter])).toEqual(['PeterNeumann'])
    expect(await names([enoch, peter])).toEqual(['PeterNeumann', 'EnochRoot'])
    expect(await names([])).toBe('unverified')
    expect(await names([{ ...peter, keyId: 1 }])).toBe('unverified')
    expect(await names([{ ...peter, name: 'Peter' }])).toBe('unverified')
  })

  it('count a key once', async () => {
    const verified = await verifyNote(noteOf(`${PETER_TEXT}\n${PETER_LINE}\n${PETER_LINE}\n`), [peter])
    expect(verified).toMatchObject({ ok: true, value: [{ name: 'PeterNeumann' }] })
  })

  it('keep their own empty lines', () => {
    const text = 'one\n\nthree\n'
    expect(parseNote(`${text}\n${PETER_LINE}\n`)).toMatchObject({ text })
  })

  it.each([
    ['no signatures', PETER_TEXT],
    ['no signature line', `${PETER_TEXT}\n`],
    ['no final newline', `${PETER_TEXT}\n${PETER_LINE}`],
    ['no text', `\n\n${PETER_LINE}\n`],
    ['a control character', `\x01${PETER_TEXT}\n${PETER_LINE}\n`],
    ['a carriage return', `${PETER_TEXT}\r\n\n${PETER_LINE}\n`],
    ['a key name with a space', `${PETER_TEXT}\n${PETER_LINE.replace('PeterNeumann', 'Bad Name')}\n`],
    ['a key name with a plus', `${PETER_TEXT}\n${PETER_LINE.replace('PeterNeumann', 'Bad+Name')}\n`],
    ['a wide space in the key name', `${PETER_TEXT}\n${PETER_LINE.replace('PeterNeumann', 'Bad\u3000Name')}\n`],
    ['another line behind', `${PETER_TEXT}\n${PETER_LINE}\nUnexpected line.\n`],
    ['a hyphen for the dash', `${PETER_TEXT}\n${PETER_LINE.replace('—', '-')}\n`],
    ['base64 without padding', `${PETER_TEXT}\n${PETER_LINE.replace('=', '')}\n`],
    ['no bytes behind the key id', `${PETER_TEXT}\n— PeterNeumann x08gow==\n`],
    ['too many signatures', `${PETER_TEXT}\n${`${PETER_LINE}\n`.repeat(MAX_SIGNATURES + 1)}`],
  ])('with %s are none', (_, text) => {
    expect(parseNote(text)).toBeNull()
  })

  it('may have as many signatures as the specification asks for', () => {
    expect(MAX_SIGNATURES).toBeGreaterThanOrEqual(16)
    expect(parseNote(`${PETER_TEXT}\n${`${PETER_LINE}\n`.repeat(16)}`)?.signatures).toHaveLength(16)
    expect(parseSignatureLines(`${PETER_LINE}\n${ENOCH_LINE}\n`)).toHaveLength(2)
    expect(parseSignatureLines('')).toBeNull()
  })

  it('are UTF-8', () => {
    expect(noteText(new TextEncoder().encode('\ufeffa—'))).toBe('\ufeffa—')
    expect(noteText(new Uint8Array([0xff]))).toBeNull()
  })
})

describe('verifier keys', () => {
  it.each([
    SPEC_KEY,
    PETER_KEY,
    ENOCH_KEY,
    ML_DSA_LOG_KEY,
    // transparency-dev/formats.
    'remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2',
  ])('%s', (text) => {
    const key = parseVerifierKey(text)!
    expect(key.name).toBe(text.split('+')[0])
    expect(key.keyId.toString(16).padStart(8, '0')).toBe(text.split('+')[1])
  })

  it('are refused when cut anywhere', () => {
    for (let from = 0; from <= PETER_KEY.length; from++)
      for (let to = from; to <= PETER_KEY.length; to++)
        if (to - from < PETER_KEY.length) expect(parseVerifierKey(PETER_KEY.slice(from, to))).toBeNull()
  })

  it('are refused when a character is changed', () => {
    for (let i = 0; i < PETER_KEY.length; i++) {
      const changed = String.fromCharCode(PETER_KEY.charCodeAt(i) + 1)
      expect(parseVerifierKey(PETER_KEY.slice(0, i) + changed + PETER_KEY.slice(i + 1))).toBeNull()
    }
  })

  it.each([
    // golang.org/x/mod, with fitting ids: a key that is too long, and an unknown type.
    'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
    'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    // transparency-dev/formats.
    'bananas.sigstore.dev+12344556',
    'rekor.sigstore.dev+12345678+THIS_IS_NOT_BASE64!',
    'rekor.sigstore.dev+12345678+AwEB',
  ])('%s is none', (text) => {
    expect(parseVerifierKey(text)).toBeNull()
  })

  it('have names without spaces, plus signs and control characters', () => {
    expect(['a', 'example.com/log', 'é'].map(isKeyName)).toEqual([true, true, true])
    expect(['', 'a b', 'a+b', 'a\nb', 'a\u0085b', 'a\0'].map(isKeyName)).toEqual(Array(6).fill(false))
  })
})

describe('times of cosignatures', () => {
  it('are read as published', () => {
    const signature = base64.decode(TIMESTAMPED.base64).slice(4)
    expect(verifierFor(COSIGNED[0].key).timestampOf(signature)).toBe(TIMESTAMPED.seconds)
    expect(verifierFor(PETER_KEY).timestampOf(signature)).toBeNull()
  })

  it.each([SIGNATURE_TYPES.ed25519Cosignature, SIGNATURE_TYPES.mlDsa44Cosignature])(
    'are signed, type %i',
    async (type) => {
      const signer = await signingKeyOf('example.com/w', type, new Uint8Array(32).fill(7))
      const text = noteOf(MIRRORED.note).text
      const note = await signNote(text, [signer], 1_700_000_000_999)
      const verifier = verifierFor(signer.verifierKey)
      expect(await verifyNote(note, [verifier])).toMatchObject({ ok: true })
      const [{ signature }] = note.signatures as [Note['signatures'][number]]
      expect(verifier.timestampOf(signature)).toBe(1_700_000_000)
      await expect(signNote('no checkpoint\n', [signer], 0)).rejects.toThrow('not the text of a checkpoint')
    },
  )

  it('are not signed with a name or an origin that is too long', async () => {
    const long = 'n'.repeat(256)
    const seed = new Uint8Array(32).fill(7)
    const text = noteOf(MIRRORED.note).text
    const named = await signingKeyOf(long, SIGNATURE_TYPES.mlDsa44Cosignature, seed)
    await expect(named.sign(text, 0)).rejects.toThrow('not the text of a checkpoint')
    const signer = await signingKeyOf('n'.repeat(255), SIGNATURE_TYPES.mlDsa44Cosignature, seed)
    await expect(signer.sign(text.replace('rome2026h1.example.org', long), 0)).rejects.toThrow()
    await signer.sign(text.replace('rome2026h1.example.org', long.slice(1)), 0)
  })
})
