import { createHash } from 'node:crypto'
import { newSha3_384Hasher, replaceSha3_384, sha3_384 } from '@svc/pqc/sha3'
import { afterEach, describe, expect, it } from 'vitest'
import { hashOfBlob } from '../src/ledger/hash-of.ts'
import { useWasmHashes } from '../src/wasm/wasm.ts'

afterEach(() => replaceSha3_384(null))

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const expected = (bytes: Uint8Array) => createHash('sha3-384').update(bytes).digest('hex')
/** Around the block of 104 bytes, and beyond what fits into the memory of a module at once. */
const LENGTHS = [0, 1, 103, 104, 105, 207, 208, 209, 7_400, 65_536, 1_000_003]
const inputs = LENGTHS.map((length) => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 0xff))

describe('hashes by WebAssembly', () => {
  it('are those of an independent implementation, for every length', async () => {
    await useWasmHashes()
    for (const input of inputs) expect(hex(sha3_384(input)), `${input.length} bytes`).toBe(expected(input))
  })

  it('of several files at once do not mix', async () => {
    await useWasmHashes()
    const hashers = await Promise.all(inputs.map(() => newSha3_384Hasher()))
    for (let from = 0; from < 1_000_003; from += 50_000)
      for (const [i, input] of inputs.entries()) {
        hashers[i]?.update(input.subarray(from, from + 50_000))
        sha3_384(input.subarray(0, 10))
      }
    expect(hashers.map((hasher) => hex(hasher.digest()))).toEqual(inputs.map(expected))
  })

  it('of a file are the same as before', async () => {
    const blob = new Blob(inputs)
    const before = await hashOfBlob(blob)
    await useWasmHashes()
    expect(await hashOfBlob(blob)).toBe(before)
  })

  it('are not taken from an implementation that is wrong', async () => {
    const wrong = { hash: () => new Uint8Array(48), newHasher: () => newSha3_384Hasher() }
    expect(() => replaceSha3_384(wrong)).toThrow('another hash')
    expect(hex(sha3_384(inputs[4] ?? new Uint8Array()))).toBe(expected(inputs[4] ?? new Uint8Array()))
  })

  it('give back what stays as it is: the next hash does not change it', async () => {
    await useWasmHashes()
    const first = sha3_384(new Uint8Array([1]))
    const copy = hex(first)
    sha3_384(new Uint8Array([2]))
    expect(hex(first)).toBe(copy)
  })
})
