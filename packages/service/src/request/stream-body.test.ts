import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy } from '../app/service.fixture.ts'
import { documentOf } from '../openapi/document.ts'
import { Prober } from '../testing/prober.ts'

const takeStream = defineOperation({
  id: 'takeStream',
  method: 'put',
  path: '/stream',
  summary: 'Takes bytes as they come',
  auth: 'none',
  query: z.strictObject({ hash: z.string().optional() }),
  streamBody: { types: ['application/octet-stream', 'image/png'], hashParameter: 'hash' },
  maxBodyBytes: 100,
  answer: {
    status: 200,
    description: 'What came',
    schema: z.object({ length: z.number().nullable(), bytes: z.array(z.number()).nullable() }),
    bare: true,
  },
})
const { service, send } = toy([
  route<unknown>()(takeStream, async ({ stream }) => ({
    length: stream?.length ?? null,
    bytes: stream && [...new Uint8Array(await new Response(stream.stream).arrayBuffer())],
  })),
])
const prober = new Prober({ service, send, base: TOY_BASE })
const put = (body: BodyInit | undefined, headers: Record<string, string>) =>
  prober.send({ method: 'PUT', path: '/stream', body, headers })
const OCTETS = { 'content-type': 'application/octet-stream' }

/** A body that ends the test when anybody reads it. */
function untouched(): ReadableStream {
  return new ReadableStream(
    {
      pull() {
        throw new Error('the body was read')
      },
    },
    { highWaterMark: 0 },
  )
}

describe('a body that is passed on as it comes', () => {
  it.each(['application/octet-stream', 'IMAGE/PNG', 'image/png; x=y', ' image/png '])(
    'comes with its length under %j',
    async (type) => {
      const headers = { 'content-type': type, 'content-length': '3' }
      const answer = await put(new Uint8Array([0, 0xff, 0x7b]), headers)
      expect(answer).toMatchObject({ status: 200, body: { length: 3, bytes: [0, 255, 123] } })
    },
  )

  it('is null when there is none, whatever its type', async () => {
    expect(await put(undefined, {})).toMatchObject({ status: 200, body: { length: null, bytes: null } })
    expect(await put(undefined, { 'content-length': '0', 'content-type': 'text/plain' })).toMatchObject({ status: 200 })
    expect(await put(new Uint8Array(), { ...OCTETS, 'content-length': '0' })).toMatchObject({ body: { length: null } })
  })

  it.each([undefined, '', 'application/json', 'image/pngx', 'text/plain, image/png'])(
    'is refused unread under the type %j',
    async (type) => {
      const headers = { 'content-length': '3', ...(type === undefined ? {} : { 'content-type': type }) }
      const message = 'The body must be application/octet-stream or image/png'
      const { status, body } = await put(untouched(), headers)
      expect({ status, body }).toMatchObject({ status: 415, body: { error: 'unsupported_media_type', message } })
    },
  )

  it('is refused unread above its cap, by what it says of itself', async () => {
    expect((await put(new Uint8Array(100), { ...OCTETS, 'content-length': '100' })).status).toBe(200)
    const refused = await put(untouched(), { ...OCTETS, 'content-length': '101' })
    expect(refused).toMatchObject({ status: 413, error: 'payload_too_large' })
  })

  it.each([undefined, '', '-1', '+3', '3.0', '0x3', '3, 3', '1'.repeat(16), 'many'])(
    'is refused unread when it says %j of its length',
    async (length) => {
      const headers = { ...OCTETS, ...(length === undefined ? {} : { 'content-length': length }) }
      const { status, body } = await put(untouched(), headers)
      const message = 'header.content-length: must declare the length of the body'
      expect({ status, body }).toMatchObject({ status: 400, body: { error: 'invalid_request', message } })
    },
  )

  it('is not read before the rest of the request has passed', async () => {
    const headers = { ...OCTETS, 'content-length': '3' }
    const answer = await prober.send({ method: 'PUT', path: '/stream?other=1', body: untouched(), headers })
    expect(answer).toMatchObject({ status: 400, error: 'invalid_request' })
  })

  it('is documented under each of its types, with its cap, and may be left out', () => {
    const operation = documentOf(service).paths?.['/stream']?.put as unknown as Record<string, unknown>
    const schema = { type: 'string', format: 'binary' }
    expect(operation['requestBody']).toEqual({
      required: false,
      content: { 'application/octet-stream': { schema }, 'image/png': { schema } },
    })
    expect(operation['x-max-body-bytes']).toBe(100)
    expect(Object.keys(operation['responses'] as object)).toEqual(expect.arrayContaining(['400', '413', '415']))
  })
})
