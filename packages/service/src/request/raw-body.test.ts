import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy } from '../app/service.fixture.ts'
import { documentOf } from '../openapi/document.ts'
import { Prober } from '../testing/prober.ts'

const takeBytes = defineOperation({
  id: 'takeBytes',
  method: 'post',
  path: '/bytes',
  summary: 'Takes bytes',
  auth: 'none',
  rawBody: ['application/octet-stream', 'image/png'],
  maxBodyBytes: 100,
  answer: { status: 200, description: 'How many', schema: z.object({ bytes: z.array(z.number()) }), bare: true },
})
const { service, send } = toy([route<unknown>()(takeBytes, ({ bytes }) => ({ bytes: [...bytes] }))])
const prober = new Prober({ service, send, base: TOY_BASE })
const post = (body: BodyInit | undefined, contentType?: string) =>
  prober.send({
    method: 'POST',
    path: '/bytes',
    body,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })

describe('a body that is not JSON', () => {
  it.each(['application/octet-stream', 'IMAGE/PNG', 'image/png; x=y', ' image/png '])(
    'comes as its bytes under %j',
    async (contentType) => {
      const bytes = new Uint8Array([0, 0xff, 0x7b])
      expect(await post(bytes, contentType)).toMatchObject({ status: 200, body: { bytes: [0, 255, 123] } })
    },
  )

  it('may be empty', async () => {
    expect(await post(undefined, 'image/png')).toMatchObject({ status: 200, body: { bytes: [] } })
  })

  it.each([undefined, '', 'application/json', 'image/pngx', 'text/plain, image/png', 'application'])(
    'is refused under the type %j, and told what would be taken',
    async (contentType) => {
      const { status, body } = await post(new Uint8Array(3), contentType)
      const message = 'The body must be application/octet-stream or image/png'
      expect({ status, body }).toMatchObject({ status: 415, body: { error: 'unsupported_media_type', message } })
    },
  )

  it('is refused under a Content-Encoding', async () => {
    const headers = { 'content-type': 'image/png', 'content-encoding': 'gzip' }
    const { status, body } = await prober.send({ method: 'POST', path: '/bytes', body: new Uint8Array(3), headers })
    const message = 'The body must be sent without Content-Encoding'
    expect({ status, body }).toMatchObject({ status: 415, body: { error: 'unsupported_media_type', message } })
  })

  it('is refused above its cap', async () => {
    expect((await post(new Uint8Array(100), 'image/png')).status).toBe(200)
    expect(await post(new Uint8Array(101), 'image/png')).toMatchObject({ status: 413, error: 'payload_too_large' })
  })

  it('is documented under each of its types, with its cap', () => {
    const operation = documentOf(service).paths?.['/bytes']?.post as unknown as Record<string, unknown>
    const schema = { type: 'string', format: 'binary' }
    expect(operation['requestBody']).toEqual({
      required: true,
      content: { 'application/octet-stream': { schema }, 'image/png': { schema } },
    })
    expect(operation['x-max-body-bytes']).toBe(100)
    expect(Object.keys(operation['responses'] as object)).toEqual(expect.arrayContaining(['413', '415']))
  })
})
