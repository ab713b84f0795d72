import { env } from 'cloudflare:workers'
import { createService, defineOperation, route } from '@svc/service'
import { ALLOWED_ORIGIN, expectRefusal, forgedAssertion, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { KEYS_DESCRIPTION } from '../src/service.ts'
import { createRuntime, type Services } from '../src/services.ts'
import { BASE, caller } from './harness.ts'

const paths = ['/api/key-directory/x/devices', '/api/transparency/probe', '/api/guardian/probe'] as const
const [directory, transparency, guardian] = paths
const service = createService(
  KEYS_DESCRIPTION,
  createRuntime,
  paths.map((path, i) => {
    const answer = { status: 200, description: 'The caller', schema: z.strictObject({ did: z.string() }) } as const
    const probe = defineOperation({
      id: `probe${i}`,
      method: 'put',
      path,
      summary: 'Who calls',
      auth: 'assertion',
      audiences: ['keys'],
      capability: 'root',
      answer,
    })
    return route<Services>()(probe, ({ caller: { did } }) => ({ did }))
  }),
)
const prober = new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, env) })
const put = (path: string, authorization?: string) => {
  const headers = { origin: ALLOWED_ORIGIN, ...(authorization === undefined ? {} : { authorization }) }
  return prober.send({ method: 'PUT', path, headers })
}

describe('nonces of the key directory', () => {
  it.each([directory, transparency])('may have 128 characters at %s and no more', async (path) => {
    const by = await caller()
    expect((await put(path, await by.assertion('keys', { nonce: 'n'.repeat(128) }))).status).toBe(200)
    for (const nonce of ['n'.repeat(129), '', 'a b', 'ü']) {
      expectRefusal(await put(path, await by.assertion('keys', { nonce })), 'invalid_directory_nonce')
    }
  })

  it('may have 256 characters elsewhere', async () => {
    const by = await caller()
    expect((await put(guardian, await by.assertion('keys', { nonce: 'n'.repeat(256) }))).status).toBe(200)
    expectRefusal(await put(guardian, await by.assertion('keys', { nonce: 'n'.repeat(257) })), 'Invalid assertion')
  })

  it('come after the Origin, the credential and the audience', async () => {
    const long = { nonce: 'n'.repeat(129) }
    const foreign = { authorization: forgedAssertion('keys', long) }
    const { status, error } = await prober.send({ method: 'PUT', path: directory, headers: foreign })
    expect({ status, error }).toEqual({ status: 403, error: 'cors_denied' })
    expectRefusal(await put(directory), 'Authorization required')
    expectRefusal(await put(directory, forgedAssertion('provenance', long)), 'Invalid assertion')
    expectRefusal(await put(directory, forgedAssertion('keys', long)), 'invalid_directory_nonce')
    expectRefusal(await put(directory, forgedAssertion('keys')), 'Invalid assertion')
  })

  it.each(['Bearer abc', 'Session abc', 'Basic dXNlcjpwYXNz'])('takes no legacy credential: %s', async (credential) => {
    expectRefusal(await put(directory, credential), 'Invalid assertion')
  })
})
