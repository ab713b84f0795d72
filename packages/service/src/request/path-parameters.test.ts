import { hashSchema } from '@svc/protocol/base/hash'
import { didSchema } from '@svc/protocol/base/identity'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import { defineOperation, type Operation, route } from '../app/operation.ts'
import { TOY_BASE, toy } from '../app/service.fixture.ts'
import { errorsOf } from '../openapi/answers.ts'
import { Prober } from '../testing/prober.ts'

const asked: unknown[] = []
const answer = { status: 200, description: 'A thing', schema: z.null() } as const
const readThing = defineOperation({
  id: 'readThing',
  method: 'get',
  path: '/things/{id}',
  summary: 'A thing by its name',
  auth: 'none',
  params: z.strictObject({ id: hashSchema }),
  answer,
})
const readOffer = defineOperation({
  ...readThing,
  id: 'readOffer',
  path: '/offers/{id}',
  unknown: 'unknown_sku',
  errors: ['unknown_sku'],
})
const readOwned = defineOperation({
  ...readThing,
  id: 'readOwned',
  path: '/of/{did}/{id}',
  params: z.strictObject({ did: didSchema.meta({ description: 'Whose' }), id: hashSchema }),
  query: z.strictObject({
    page: z
      .string()
      .regex(/^[0-9]$/)
      .optional(),
  }),
})
const readOwner = defineOperation({
  ...readThing,
  id: 'readOwner',
  path: '/of/{did}',
  params: z.strictObject({ did: didSchema }),
})

const readText = defineOperation({
  ...readThing,
  id: 'readText',
  path: '/texts/{id}',
  params: z.strictObject({ id: z.string() }),
})

const found = (operation: Operation) =>
  route<unknown>()(operation as typeof readThing, ({ params }) => {
    asked.push(params)
    throw new ApiError('not_found')
  })
const { service, send } = toy([readThing, readOffer, readOwned, readOwner, readText].map(found))
const prober = new Prober({ service, send, base: TOY_BASE })
const get = async (path: string) => {
  const { status, error, body } = await prober.send({ method: 'GET', path })
  return { status, error, message: (body as { message: string }).message }
}
const did = `did:svc:${'A'.repeat(32)}`
const hash = 'a7'.repeat(48)

describe('a path parameter', () => {
  it('is not read as text where an escape in it does not decode', async () => {
    asked.length = 0
    expect(await get('/texts/%zz')).toMatchObject({ status: 404 })
    expect(await get('/texts/%25zz')).toMatchObject({ status: 404 })
    expect(asked).toEqual([{ id: '\0' }, { id: '%zz' }])
  })

  it.each(['x', 'A7'.repeat(48), `${hash}0`, '%00', '%2e%2e%2fthings', '%zz', '-1', 'null'])(
    'whose form is nobody’s business names nothing as %s: the 404 of an unknown name, and nobody is asked',
    async (id) => {
      const unknown = await get(`/things/${hash}`)
      expect(unknown).toMatchObject({ status: 404, error: 'not_found' })
      asked.length = 0
      expect(await get(`/things/${id}`)).toEqual(unknown)
      expect(asked).toEqual([])
    },
  )

  it('names nothing by the 404 that its route has', async () => {
    expect(await get('/offers/x')).toMatchObject({ status: 404, error: 'unknown_sku' })
  })

  it('with a published form is 400 in any other, whatever else the path has', async () => {
    const malformed = { status: 400, error: 'invalid_request', message: expect.stringContaining('path.did: must be') }
    expect(await get('/of/did:web:x')).toMatchObject(malformed)
    expect(await get(`/of/did:svc:short/${hash}`)).toMatchObject(malformed)
    expect(await get('/of/did:svc:short/x')).toMatchObject(malformed)
    expect(await get(`/of/${did}/x`)).toMatchObject({ status: 404, error: 'not_found' })
    expect(await get(`/of/${did}/x?page=x`)).toMatchObject({ status: 404, error: 'not_found' })
    expect(await get(`/of/${did}/${hash}?page=x`)).toMatchObject({ status: 400, error: 'invalid_request' })
    expect(await get(`/of/${did}%ff/${hash}`)).toMatchObject(malformed)
    expect(await get(`/of/${did}/${hash}%ff`)).toMatchObject({ status: 404, error: 'not_found' })
  })

  it('comes with query parameters that are sent once', async () => {
    expect(await get(`/of/${did}/${hash}?page=1&page=1`)).toMatchObject({
      status: 400,
      error: 'invalid_request',
      message: 'query.page: must be sent once',
    })
    expect(await get(`/of/${did}/${hash}?other=1&other=2`)).toMatchObject({
      status: 400,
      message: 'query: Unrecognized key other',
    })
    expect(await get(`/of/${did}/${hash}?page=1`)).toMatchObject({ status: 404 })
  })

  it('is described with the statuses that it can cause, and no others', () => {
    const named = (operation: Operation) =>
      errorsOf(service.description, operation).filter((name) =>
        ['invalid_request', 'not_found', 'unknown_sku'].includes(name),
      )
    expect(named(readThing)).toEqual(['not_found'])
    expect(named(readOffer)).toEqual(['unknown_sku'])
    expect(named(readOwned).toSorted()).toEqual(['invalid_request', 'not_found'])
    expect(named(readOwner)).toEqual(['invalid_request'])
  })
})
