import { expect, it } from 'vitest'
import { alice, payload, verdictOn } from './assertion.fixture.ts'
import { signPayload } from './make.ts'

/** Mulberry32 with a fixed seed: the same two hundred cases in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const CASES = 200
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const credential = await signPayload(alice, payload)
// The scheme is case-insensitive, so a credential with a changed letter in it can still be valid.
const start = 'ServiceAssertion '.length

/** Half of the cases insert any byte, usually not base64url; the other half stays within the alphabet. */
function corrupted(random: () => number, anyByte: boolean): { at: number; text: string } {
  for (;;) {
    const at = start + Math.floor(random() * (credential.length - start))
    const character = anyByte
      ? String.fromCharCode(Math.floor(random() * 256))
      : (ALPHABET[Math.floor(random() * ALPHABET.length)] ?? 'A')
    if (character !== credential[at])
      return { at, text: credential.slice(0, at) + character + credential.slice(at + 1) }
  }
}

it('verifies uncorrupted', async () => {
  expect((await verdictOn(credential)).ok).toBe(true)
})

it.each([
  ['any byte', true, 20_261_023],
  ['a character of the alphabet', false, 1_790_000],
])(`never verifies with one character turned into %s, in ${CASES / 2} cases`, async (_, anyByte, seed) => {
  const random = seeded(seed)
  const verified: number[] = []
  for (let i = 0; i < CASES / 2; i++) {
    const { at, text } = corrupted(random, anyByte)
    if ((await verdictOn(text)).ok) verified.push(at)
  }
  expect(verified).toEqual([])
})

it('never verifies with a character dropped, doubled or swapped with its neighbour', async () => {
  const random = seeded(7)
  for (let i = 0; i < 20; i++) {
    const at = start + Math.floor(random() * (credential.length - start - 1))
    const [one = '', two = ''] = credential.slice(at, at + 2)
    const [before, after] = [credential.slice(0, at), credential.slice(at + 2)]
    const texts = [before + two + after, before + one + one + two + after, before + two + one + after]
    for (const text of texts.filter((other) => other !== credential)) expect((await verdictOn(text)).ok).toBe(false)
  }
})
