import { describe, expect, it } from 'vitest'
import { DEFAULT_MAX_BODY_BYTES } from '../app/operation.ts'
import { budgetOf } from '../request/json-budget.ts'
import { expectRefusal } from './credential-battery.ts'
import { exemplarsOf } from './exemplars.ts'
import type { Exchange, Prober } from './prober.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }

/**
 * Faults of a body are answered for a caller whose credential is good, and each in its own way. Each route shows it in
 * one test; everything that can be wrong with a body is tried on one route of each kind.
 */
export function bodyBattery(prober: Prober): void {
  const exemplars = exemplarsOf(prober)
  for (const { operation } of prober.service.routes) {
    if (!operation.body) continue
    const method = operation.method.toUpperCase()
    const cap = operation.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES
    const malformed = operation.malformed ?? 'invalid_request'
    const post = async (body: BodyInit, headers: Record<string, string> = {}): Promise<Exchange> => {
      const call = await prober.callFor(operation)
      return prober.send({ method, path: call.path, body, headers: { ...call.headers, ...headers } })
    }

    it(`${method} ${operation.path} takes a JSON body and nothing else`, async () => {
      expectRefusal(await post('{', JSON_HEADERS), malformed)
      expectRefusal(await post('{}', { 'content-type': 'text/plain' }), 'unsupported_media_type')
      const refused = await post('null', JSON_HEADERS)
      if (operation.parse) expect(refused.status).toBe(400)
      else expectRefusal(refused, 'invalid_request')
    })
    if (!exemplars.has(operation)) continue

    describe(`${method} ${operation.path}`, () => {
      it.each(['{', '{"a":', 'nonsense', '', '{} {}', "{'a': 1}", '[1,]'])('refuses the body %j', async (body) => {
        expectRefusal(await post(body, JSON_HEADERS), malformed)
      })

      it('refuses a body that is not UTF-8', async () => {
        expectRefusal(await post(new Uint8Array([0x22, 0xff, 0x22])), malformed)
      })

      it.each(['null', '[]', '"text"', '1', 'true'])('refuses the JSON value %s', async (body) => {
        const refused = await post(body, JSON_HEADERS)
        // Where a body is read by hand its faults have names of their own.
        if (operation.parse) expect(refused.status).toBe(400)
        else expectRefusal(refused, 'invalid_request')
      })

      it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'multipart/form-data'])(
        'refuses the content type %s',
        async (type) => {
          expectRefusal(await post('{}', { 'content-type': type }), 'unsupported_media_type')
        },
      )

      it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'])(
        'takes the content type %s',
        async (type) => {
          expect((await post('{}', { 'content-type': type })).error).not.toBe('unsupported_media_type')
        },
      )

      it('refuses a body that is compressed, or in another charset', async () => {
        const gzip = { ...JSON_HEADERS, 'content-encoding': 'gzip' }
        expectRefusal(await post('{}', gzip), 'unsupported_media_type')
        const latin = { 'content-type': 'application/json; charset=iso-8859-1' }
        expectRefusal(await post('{}', latin), 'unsupported_media_type')
      })

      it('counts an absent content type as JSON', async () => {
        expect((await post(bytesOf('{}'))).error).not.toBe('unsupported_media_type')
        expectRefusal(await post(bytesOf('{')), malformed)
      })

      it('refuses a body above its cap by what it declares', async () => {
        const body = bytesOf(' '.repeat(cap + 1))
        expectRefusal(await post(body, { 'content-length': String(body.length) }), 'payload_too_large')
      })

      it('refuses a body above its cap that declares no length', async () => {
        expectRefusal(await post(streamOf(cap + 1)), 'payload_too_large')
      })

      it('refuses a body that nests too deep or holds too many values', async () => {
        const { values, depth } = budgetOf(cap, operation.budget)
        expectRefusal(await post('['.repeat(depth + 1)), malformed)
        expectRefusal(await post(`[${'0,'.repeat(values)}`), operation.tooMany ?? 'payload_too_large')
      })

      it('takes a body of exactly its cap', async () => {
        expect((await post(streamOf(cap))).error).not.toBe('payload_too_large')
      })
    })
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** White space in pieces of 64 KiB; a stream has no length to declare. */
function streamOf(length: number): ReadableStream<Uint8Array> {
  let left = length
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left === 0) return controller.close()
      const size = Math.min(left, 64 * 1024)
      left -= size
      controller.enqueue(new Uint8Array(size).fill(0x20))
    },
  })
}
