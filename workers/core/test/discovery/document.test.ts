import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { type DiscoveryDocument, discoveryDocumentSchema } from '@svc/protocol/http/discovery-document'
import { REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, CORE, freshCaller, sendWith } from '../harness.ts'
import { ask, vaultPath } from '../notes/notes.fixture.ts'

const PATH = '/.well-known/svc'
const MINUTE = 60_000
const keyOf = async (byte: string) => (await new DeploymentSigner(byte.repeat(32), REALMS).publicKey(0)) ?? ''

/** The environment with published keys; `keyof Env` does not list variables that only deployments have. */
const withVariables = (variables: Record<string, unknown>) => sendWith(variables)

async function documentWith(variables: Record<string, unknown>): Promise<DiscoveryDocument> {
  const response = await withVariables(variables)(new Request(CORE + PATH))
  return discoveryDocumentSchema.parse(await response.json())
}

describe('the discovery document', () => {
  it('is public, cached for minutes, and names realm, services and audiences', async () => {
    const { status, body, headers } = await anonymous('GET', PATH, undefined, { origin: 'https://foreign.example' })
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    const document = discoveryDocumentSchema.parse(body)
    expect(document).toMatchObject({
      realm: CORE,
      realms: [CORE],
      logs: { listUrl: 'https://keys.test/api/transparency/logs', keys: null },
      anchors: {
        publisherKeyB64u: expect.stringMatching(/^[A-Za-z0-9_-]{2603}$/),
        operatorKeyB64u: expect.stringMatching(/^[A-Za-z0-9_-]{2603}$/),
      },
    })
    expect(document.services.core).toEqual({
      url: CORE,
      audiences: ['chain', 'core', 'genesis', 'notes'],
      openapi: `${CORE}/openapi.json`,
    })
    expect(document.services.pay).toMatchObject({ url: 'https://pay.test', audiences: ['provenance'] })
    expect(document.limits.requestsPerMinute['auth']).toEqual({ 'sign-in': 20 })
  })

  it('has core’s own keys where none are configured', async () => {
    const { keys } = await documentWith({})
    expect(keys.map(({ service, use, state }) => [service, use, state])).toEqual([['core', 'receipt', 'current']])
    expect(keys[0]?.publicKeyB64u).toBe(await keyOf('0a'))
  })

  it('has the keys of the log list, and how many must sign', async () => {
    const publicKeysB64u = [await keyOf('0d'), await keyOf('0e')]
    const [first, second] = publicKeysB64u
    const variables = { LOG_LIST_KEY_1: first, LOG_LIST_KEY_2: second, LOG_LIST_THRESHOLD: 2 }
    expect((await documentWith(variables)).logs.keys).toEqual({ threshold: 2, publicKeysB64u })
    for (const wrong of [{ LOG_LIST_THRESHOLD: 3 }, { LOG_LIST_THRESHOLD: undefined }, { LOG_LIST_KEY_2: first }])
      expect((await withVariables({ ...variables, ...wrong })(new Request(CORE + PATH))).status).toBe(500)
  })

  it('refuses a configuration with a malformed key', async () => {
    const response = await withVariables({ SERVICE_KEY_1: { service: 'core' } })(new Request(CORE + PATH))
    expect(response.status).toBe(500)
  })
})

describe('a hand-over of the receipt key', () => {
  it('is announced, takes place, and lets earlier receipts verify', async () => {
    const now = Date.now()
    const name = { service: 'core', use: 'receipt' }
    const variables = (at: number) => ({
      RECEIPT_SEED_NEXT: '0b'.repeat(32),
      SERVICE_KEY_1: { ...name, publicKeyB64u: keys[0], validFrom: 0, validUntil: at + MINUTE },
      SERVICE_KEY_2: { ...name, publicKeyB64u: keys[1], validFrom: at, validUntil: null },
    })
    const keys = [await keyOf('0a'), await keyOf('0b')]
    const statesAt = async (at: number) =>
      (await documentWith(variables(at))).keys.filter(({ use }) => use === 'receipt').map(({ state }) => state)
    expect(await statesAt(now + MINUTE)).toEqual(['current', 'next'])
    expect(await statesAt(now - MINUTE / 2)).toEqual(['previous', 'current'])
    const caller = await freshCaller()
    for (const [at, key] of [
      [now + MINUTE, keys[0]],
      [now - MINUTE / 2, keys[1]],
    ] as const) {
      const exported = await ask(caller, 'GET', vaultPath(caller, '/export'), { fetch: withVariables(variables(at)) })
      expect(exported.data['manifest']).toMatchObject({ publicKeyB64u: key })
    }
  })

  it('stops signing rather than sign with a key that nobody was told of', async () => {
    const stray = { service: 'core', use: 'receipt', publicKeyB64u: await keyOf('0c'), validFrom: 0, validUntil: null }
    const caller = await freshCaller()
    const refused = await ask(caller, 'GET', vaultPath(caller, '/export'), {
      fetch: withVariables({ SERVICE_KEY_1: stray }),
    })
    expect(refused).toMatchObject({ status: 503, error: 'dependency_unavailable' })
  })
})
