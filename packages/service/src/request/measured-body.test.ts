import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy } from '../app/service.fixture.ts'
import { documentOf } from '../openapi/document.ts'
import { Prober } from '../testing/prober.ts'

const facts = {
  method: 'post',
  summary: 'Takes numbers',
  auth: 'none',
  body: z.strictObject({ numbers: z.array(z.unknown()) }),
  maxBodyBytes: 1_000_000,
  budget: { values: 8, structures: 6, depth: 3 },
  answer: { status: 200, description: 'How many', schema: z.object({ count: z.number() }), bare: true },
} as const
const plain = defineOperation({ ...facts, id: 'takeNumbers', path: '/numbers' })
const named = defineOperation({
  ...facts,
  id: 'takeNamed',
  path: '/named',
  malformed: 'invalid-json',
  tooMany: 'too_many_items',
})
const count = ({ body }: { readonly body: { readonly numbers: unknown[] } }) => ({ count: body.numbers.length })
const { service, send } = toy([route<unknown>()(plain, count), route<unknown>()(named, count)])
const prober = new Prober({ service, send, base: TOY_BASE })
const post = (path: string, body: BodyInit) => prober.send({ method: 'POST', path, body })
const numbers = (items: unknown[]) => JSON.stringify({ numbers: items })

describe('a body is held to its budget before it is parsed', () => {
  it('takes what the budget allows, however it is written', async () => {
    expect(await post('/numbers', numbers([1, 2, 3, 4, 5, 6]))).toMatchObject({ status: 200, body: { count: 6 } })
    expect(await post('/numbers', ` ${numbers([[], [], []]).replaceAll(',', ' ,\n')}`)).toMatchObject({ status: 200 })
    expect(await post('/numbers', numbers(['[{"x":[['.repeat(50)]))).toMatchObject({ status: 200 })
  })

  it.each([
    ['values', numbers([1, 2, 3, 4, 5, 6, 7])],
    ['structures', numbers([[], [], [], []])],
    ['members', '{"numbers":[],"a":1,"b":2,"c":3,"d":4}'],
    ['values of a malformed body', '[1,1,1,1,1,1,1,1,1'],
  ])('refuses more %s as too large', async (_, body) => {
    const message = 'body: can hold at most 8 values and 6 objects, arrays and members'
    expect(await post('/numbers', body)).toMatchObject({ status: 413, error: 'payload_too_large' })
    expect(JSON.stringify((await post('/numbers', body)).body)).toContain(message)
    expect(await post('/named', body)).toMatchObject({ status: 413, error: 'too_many_items' })
  })

  it('refuses what is too deep as malformed', async () => {
    expect(await post('/numbers', numbers([[[]]]))).toMatchObject({ status: 400, error: 'invalid_request' })
    expect(await post('/named', numbers([[[]]]))).toMatchObject({ status: 400, error: 'invalid-json' })
  })

  it('parses nothing of a body that it refuses, and reads no more than the piece that exceeds the budget', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1
        controller.enqueue(new TextEncoder().encode('['.repeat(100)))
      },
    })
    const request = new Request(`${TOY_BASE}/numbers`, { method: 'POST', body: endless, duplex: 'half' } as RequestInit)
    const answer = await send(request)
    expect(answer.status).toBe(400)
    expect(parse).not.toHaveBeenCalled()
    expect(pulled).toBeLessThan(5)
  })

  it('is documented', () => {
    const documented = documentOf(service).paths?.['/numbers']?.post as Record<string, unknown> | undefined
    expect(documented?.['x-json-budget']).toEqual({ values: 8, structures: 6, depth: 3 })
  })
})
