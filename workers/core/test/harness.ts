import { env, exports } from 'cloudflare:workers'
import type { ChainBlock, SignedBlock } from '@svc/protocol/chain/chain'
import { signBlock } from '@svc/protocol/chain/chain'
import { newCaller, signerOf, type TestCaller } from '@svc/testing'
import { app } from '../src/app.ts'

export const CORE = 'https://core.test'

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)

/** Sends to the same code and objects with some bindings replaced, to make a dependency fail. */
export function sendWith(replaced: Partial<Record<keyof Env, unknown>>): (request: Request) => Promise<Response> {
  const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} } as unknown as ExecutionContext
  return async (request) => app.fetch(request, { ...env, ...replaced }, context)
}

/** A caller with a fresh identity, created at core by default. */
export function freshCaller(
  options: { readonly genesis?: boolean; readonly fetch?: (request: Request) => Promise<Response> } = {},
): Promise<TestCaller> {
  return newCaller({ fetch: send, ...options })
}

/** One request of a caller with a valid assertion; a body is sent as JSON. */
export async function call(
  caller: { readonly identity: Pick<TestCaller['identity'], 'assertion'>; readonly address: string },
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  fetch: (request: Request) => Promise<Response> = send,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const url = CORE + path
  const bytes = body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body))
  const authorization = await caller.identity.assertion({
    audience: 'chain',
    method,
    url,
    body: bytes,
    now: Date.now(),
  })
  const headers = { authorization, 'cf-connecting-ip': caller.address, 'content-type': 'application/json' }
  const response = await fetch(new Request(url, { method, headers, ...(bytes ? { body: bytes } : {}) }))
  return { status: response.status, body: await response.json() }
}

/** One request without a credential, from an address of its own. A string body is sent as is. */
export async function anonymous(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const response = await send(
    new Request(CORE + path, {
      method,
      headers: { 'cf-connecting-ip': freshAddress(), 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  )
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : parsed(text), headers: response.headers }
}

function parsed(text: string): Record<string, unknown> {
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text }
}

export function freshAddress(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint16Array(2))
  return `2001:db8:${high.toString(16)}:${low.toString(16)}::1`
}

/** A valid next block with some members changed before signing. */
export async function nextBlock(caller: TestCaller, changes: Record<string, unknown> = {}): Promise<SignedBlock> {
  const { signature: _, ...block } = await caller.client.chain.makeBlock(await caller.client.chain.head(), {})
  return signBlock<ChainBlock>({ ...block, ...changes }, signerOf(caller.identity))
}
