import { encodeBase64url } from '@svc/protocol/base/base64url'
import { didOf, userIdOf } from '@svc/protocol/base/identity'
import { PUBLIC_KEY_BYTES } from '@svc/protocol/base/labels'
import { expect, it, vi } from 'vitest'
import { expectRefusal } from './credential-battery.ts'
import type { Answer, Guarded } from './guarded.ts'

/** A sibling that answers as told; a service binding takes what `fetch` takes. */
export function coreAnswering(answer: Answer): Fetcher {
  return { fetch: (input: RequestInfo, init?: RequestInit) => answer(new Request(input, init)) } as unknown as Fetcher
}

/** A perfect answer about a key that nobody asked for. */
function anotherKey(): Response {
  const publicKey = new Uint8Array(PUBLIC_KEY_BYTES)
  const scope = userIdOf(publicKey)
  const publicKeyB64u = encodeBase64url(publicKey)
  return Response.json({ userId: scope, did: didOf(scope), scope, epoch: 0, publicKeyB64u })
}

/** Answers that say nothing about the key. */
const NO_ANSWERS: readonly [string, Answer][] = [
  ['throws', () => Promise.reject(new Error('gone'))],
  ['answers 500', async () => Response.json({ success: false, error: 'internal_error' }, { status: 500 })],
  ['answers 503', async () => Response.json({ success: false, error: 'not_found' }, { status: 503 })],
  ['answers what is not JSON', async () => new Response('<html>', { status: 200 })],
  ['answers 404 without a name', async () => new Response('nothing here', { status: 404 })],
  ['answers 404 with no named error', async () => Response.json({ error: 404 }, { status: 404 })],
  ['answers an empty object', async () => Response.json({})],
  ['answers null', async () => Response.json(null)],
  ['answers yes', async () => Response.json({ ok: true, valid: true })],
  ['answers about another key', async () => anotherKey()],
  ['does not know the caller', async () => Response.json({ success: false, error: 'forbidden' }, { status: 403 })],
  ['finds the request wrong', async () => Response.json({ success: false, error: 'invalid_request' }, { status: 400 })],
]

/** While core cannot be relied on, nothing gets through. */
export function dependencyBattery({ audience, names, target, known, present }: Guarded): void {
  it.each(NO_ANSWERS)('refuses when core %s', async (_, answer) => {
    const assertion = await (await target.known()).assertion(audience)
    const replaced = { CORE: coreAnswering(answer) }
    expectRefusal(await present(assertion, { replaced }), 'dependency_unavailable')
    expect((await present(assertion)).status).toBe(200)
  })

  it('refuses when core does not answer in time', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort(new Error('too late')))
    const silent = coreAnswering(({ signal }) => new Promise((_, reject) => reject(signal.reason as Error)))
    const assertion = await (await known()).assertion(audience)
    timeout.mockClear()
    expectRefusal(await present(assertion, { replaced: { CORE: silent } }), 'dependency_unavailable')
    expect(timeout).toHaveBeenCalledOnce()
  })

  it('refuses a key that core says was superseded', async () => {
    const superseded = async () => Response.json({ success: false, error: 'key_superseded' }, { status: 409 })
    const assertion = await (await known()).assertion(audience)
    const replaced = { CORE: coreAnswering(superseded) }
    expectRefusal(await present(assertion, { replaced }), names.rejected)
  })
}
