import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy } from '../app/service.fixture.ts'
import { documentOf } from '../openapi/document.ts'
import { Prober } from '../testing/prober.ts'

const screened: unknown[] = []
const takeRecord = defineOperation({
  id: 'takeRecord',
  method: 'post',
  path: '/records/{id}',
  summary: 'Takes a record',
  auth: 'none',
  params: z.strictObject({ id: z.string().regex(/^[0-9]+$/) }),
  screen: (body) => {
    screened.push(body)
    const isWordy = typeof body === 'object' && body !== null && 'words' in body
    return isWordy ? new ApiError('plaintext_rejected', { details: { members: ['words'] } }) : null
  },
  body: z.strictObject({ n: z.number() }),
  maxBodyBytes: 100,
  answer: { status: 200, description: 'The number', schema: z.object({ n: z.number() }), bare: true },
  errors: ['plaintext_rejected'],
})
const { service, send } = toy([route<unknown>()(takeRecord, ({ body }) => body)])
const prober = new Prober({ service, send, base: TOY_BASE })
const post = (body: string, path = '/records/1', headers: Record<string, string> = {}) =>
  prober.send({ method: 'POST', path, body, headers })
const BAD = { status: 400, error: 'invalid_request' }

describe('a screened body', () => {
  it('goes on to its schema when nothing is said against it', async () => {
    screened.length = 0
    expect(await post('{"n":1}')).toMatchObject({ status: 200, body: { n: 1 } })
    expect(await post('{"n":"1"}')).toMatchObject(BAD)
    expect(screened).toEqual([{ n: 1 }, { n: '1' }])
  })

  it('is refused under the name that the screen gives, before the schema names another', async () => {
    const refused = await post('{"words":"canary","n":"1"}')
    expect(refused).toMatchObject({ status: 400, error: 'plaintext_rejected' })
    expect(JSON.stringify(refused.body)).not.toContain('canary')
  })

  it('leaves nothing of what it held in the log', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    await post('{"words":"canary"}')
    expect(log).toHaveBeenCalledOnce()
    expect(String(log.mock.calls[0]?.[0])).toContain('plaintext_rejected')
    expect(String(log.mock.calls[0]?.[0])).not.toMatch(/canary|words/)
  })

  it('is looked at after its path, its type, its length and its form', async () => {
    screened.length = 0
    expect(await post('{"words":1}', '/records/x')).toMatchObject({ status: 404, error: 'not_found' })
    expect(await post('{"words":')).toMatchObject(BAD)
    expect(await post('{"words":1}', '/records/1', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
    expect(await post(`{"words":"${'x'.repeat(100)}"}`)).toMatchObject({ status: 413 })
    expect(screened).toEqual([])
  })
})

describe('an operation of an owner', () => {
  const list = defineOperation({
    id: 'listRecords',
    method: 'get',
    path: '/owners/{did}',
    summary: 'What an owner has',
    auth: 'none',
    owner: 'did',
    answer: { status: 200, description: 'Text', contentType: 'text/plain' },
  })

  it('declares that another is refused', () => {
    const owned = toy([route<unknown>()(list, () => new Response('x'))]).service
    const text = JSON.stringify(documentOf(owned).paths?.['/owners/{did}'])
    expect(text).toContain('owner_mismatch')
    expect(JSON.stringify(documentOf(service))).not.toContain('owner_mismatch')
  })
})
