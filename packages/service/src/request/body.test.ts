import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '../answer/api-error.ts'
import { isJson, isUnencoded, isUtf8, parseJson, readBytes } from './body.ts'

/** A body in chunks of the given sizes, and how many of them were asked for. */
function chunked(sizes: readonly number[], headers: Record<string, string> = {}) {
  const state = { pulled: 0, isCancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const size = sizes[state.pulled]
        if (size === undefined) return controller.close()
        state.pulled += 1
        controller.enqueue(new Uint8Array(size).fill(state.pulled))
      },
      cancel() {
        state.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { state, request: { headers: new Headers(headers), body: stream } as Request }
}

describe('readBytes', () => {
  it('joins the chunks of a body', async () => {
    const { request } = chunked([2, 1, 3])
    expect(await readBytes(request, 6)).toEqual(new Uint8Array([1, 1, 2, 3, 3, 3]))
  })

  it('gives no bytes for no body', async () => {
    expect(await readBytes(new Request('https://x.test'), 6)).toEqual(new Uint8Array())
    expect(await readBytes(chunked([]).request, 6)).toEqual(new Uint8Array())
  })

  it('takes exactly the cap and not one byte more', async () => {
    expect((await readBytes(chunked([3, 3]).request, 6))?.length).toBe(6)
    expect(await readBytes(chunked([3, 4]).request, 6)).toBeNull()
    expect(await readBytes(chunked([7]).request, 6)).toBeNull()
  })

  it('stops reading as soon as the body grows beyond the cap', async () => {
    const { request, state } = chunked(Array<number>(1000).fill(4))
    expect(await readBytes(request, 10)).toBeNull()
    expect(state).toEqual({ pulled: 3, isCancelled: true })
  })

  it('reads nothing of a body that declares too much', async () => {
    const { request, state } = chunked([1], { 'content-length': '7' })
    expect(await readBytes(request, 6)).toBeNull()
    expect(state.pulled).toBe(0)
  })

  it.each(['1', '-1', 'x', '', '0'])('believes no declared length: %s', async (declared) => {
    expect(await readBytes(chunked([7], { 'content-length': declared }).request, 6)).toBeNull()
  })
})

/** How often others ran while a body that is all there was read. */
async function turnsBesides(size: number): Promise<number> {
  const bytes = new Uint8Array(size)
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  try {
    await readBytes(new Request('https://x.test', { method: 'POST', body: bytes }), size)
    return turns
  } finally {
    clearInterval(timer)
  }
}

describe('a large body', () => {
  it('is read with turns for others in between', async () => {
    expect(await turnsBesides(4 * 1024 * 1024)).toBeGreaterThanOrEqual(4)
  })
})

describe('isJson', () => {
  it.each([
    [undefined, true],
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['application/json ;charset=utf-8', true],
    ['Application/JSON', true],
    ['application/jsonx', false],
    ['application/json-seq', false],
    ['application/ld+json', false],
    ['text/json', false],
    ['text/plain, application/json', false],
    ['', false],
  ])('says of %s: %s', (type, verdict) => {
    expect(isJson(type)).toBe(verdict)
  })
})

it.each([
  [undefined, true],
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['application/json;charset="UTF-8"', true],
  ['application/json; version=1; charset=utf8', true],
  ['application/json; charset=us-ascii', true],
  ['application/json; charset=iso-8859-1', false],
  ['application/json; charset="utf-16"', false],
  ['application/json; charset=', false],
])('a body of type %s reads as UTF-8: %s', (type, verdict) => {
  expect(isUtf8(type)).toBe(verdict)
})

it.each([
  [undefined, true],
  ['', true],
  ['identity', true],
  [' Identity ', true],
  ['gzip', false],
  ['identity, gzip', false],
  ['br', false],
])('a body under Content-Encoding %j is as it was sent: %s', (encoding, verdict) => {
  expect(isUnencoded(encoding)).toBe(verdict)
})

describe('parseJson', () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text)

  it('parses JSON in UTF-8', () => {
    expect(parseJson(bytesOf('{"ü":[1,null]}'))).toEqual({ ü: [1, null] })
  })

  it('decodes a large body piece by piece, wherever the pieces are cut', () => {
    const decode = vi.spyOn(TextDecoder.prototype, 'decode')
    for (const character of ['x', 'é', '€', '😀']) {
      for (let shift = 0; shift < 4; shift++) {
        const text = 'y'.repeat(shift) + character.repeat(60_000)
        const bytes = bytesOf(JSON.stringify(text))
        decode.mockClear()
        expect(parseJson(bytes)).toBe(text)
        const sizes = decode.mock.calls.map(([piece]) => (piece as Uint8Array | undefined)?.length ?? 0)
        expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536)
        const cut = Uint8Array.from([...bytes.subarray(0, -1), 0xf0, 0x9f, 0x22])
        expect(() => parseJson(cut)).toThrow('must be well-formed JSON')
        expect(() => parseJson(cut.subarray(0, -1))).toThrow('must be well-formed JSON')
      }
    }
    expect(parseJson(Uint8Array.from([0xef, 0xbb, 0xbf, ...bytesOf(`[${'1,'.repeat(70_000)}1]`)]))).toHaveLength(70_001)
  })

  it.each([
    ['nothing', bytesOf('')],
    ['half an object', bytesOf('{"canary":')],
    ['what is not UTF-8', new Uint8Array([0x22, 0xc3, 0x22])],
    ['too deep a nesting', bytesOf('['.repeat(200_000))],
  ])('refuses %s in a sentence that quotes nothing', (_, bytes) => {
    const message = 'body: must be well-formed JSON'
    expect(() => parseJson(bytes)).toThrow(new ApiError('invalid_request', { message }))
  })
})
