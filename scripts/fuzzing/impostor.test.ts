import { makeAssertion } from '@svc/assertion'
import { readApi } from '@svc/platform/documented-api'
import { WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { expect, it } from 'vitest'
import { Impostor } from './impostor.ts'
import { type SignedKind, signedKinds } from './signed-kinds.ts'

const urls = Object.fromEntries(WORKER_NAMES.map((name) => [name, `http://${name}.test`])) as Record<WorkerName, string>
const seed = new Uint8Array(32).fill(5)
const api = readApi()
const kinds = (await signedKinds(1, 1)).filter(({ name }) =>
  /freeze|cancel|consent message|block, profile 2/.test(name),
)
const refusal = Response.json(
  { success: false, error: 'invalid_signature', message: 'The signature is not valid', timestamp: 1, requestId: 'r' },
  { status: 401, headers: { 'x-error-name': 'invalid_signature', 'x-request-id': 'r' } },
)

/** Freezes a rotation through an impostor; the answers depend on what is sent. */
async function freezing(answer: (body: string, authorization: string) => Response) {
  const sent: string[] = []
  const impostor = new Impostor({
    urls,
    api,
    kinds,
    mlDsa65,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const body = await request.text()
      sent.push(body)
      return answer(body, request.headers.get('authorization') ?? '')
    },
  })
  const freeze = kinds.find(({ name }) => name === 'svc/rotation-freeze/v1') as SignedKind
  const statement = freeze.instances[0] as object
  const signatureB64u = encodeBase64url(await impostor.sign(seed, freeze.bytesOf(statement)))
  const body = JSON.stringify({ statement, signatureB64u })
  const publicKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(seed))
  const signer = {
    publicKeyB64u,
    userId: userIdOfKey(publicKeyB64u),
    sign: (message: Uint8Array) => impostor.sign(seed, message),
  }
  const url = `${urls.core}/api/chain/rotation/freeze`
  const request = { audience: 'chain', method: 'POST', url, body: new TextEncoder().encode(body), now: Date.now() }
  const init = { method: 'POST', headers: { authorization: await makeAssertion(signer, request) }, body }
  await impostor.fetch(url, init)
  await impostor.fetch(url, init)
  return { impostor, sent, body }
}

it('presents every other kind once, and then what the client sends', async () => {
  const assertions = new Set<string>()
  const { impostor, sent, body } = await freezing((_, authorization) => {
    assertions.add(authorization)
    return refusal.clone()
  })
  // Another signature for three kinds, and the statement of those two that the operation does not take.
  expect(impostor).toMatchObject({ places: 1, presented: 5, taken: [] })
  expect(sent).toHaveLength(7)
  expect(sent.filter((one) => one === body)).toHaveLength(2)
  expect(new Set(sent).size).toBe(6)
  expect(assertions.size).toBe(6)
})

it.each([
  ['accepted', () => Response.json({ success: true })],
  ['failed', () => Response.json({ success: false }, { status: 500 })],
  ['not judged', () => Response.json({ success: false }, { status: 429 })],
  ['refused without an error', () => new Response('no', { status: 401 })],
])('reports a forgery that is %s', async (_, answer) => {
  const { impostor } = await freezing(answer)
  expect(impostor.taken).toHaveLength(5)
})
