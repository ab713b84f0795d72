/**
 * Cloudflare's split of traffic in the local runtime: a small Worker at each public port asks which version answers, and
 * passes the request to that Worker. Both versions have the objects and the entrypoints of the previous release, as most
 * have at 5 %.
 *
 * @module
 */
import type { FakeCloudflare } from '@svc/operations/fake-cloudflare'
import { binding, pairsOf, type Worker, type Workers, without } from './two-releases.ts'

export interface Split {
  readonly account: FakeCloudflare
  /** The commits that the two versions report. */
  readonly commits: { readonly before: string; readonly after: string }
  /** At least 0 and less than 1, for requests without an override. */
  readonly random: () => number
}

const ROUTER = `export default {
  async fetch(request, env) {
    const headers = new Headers({ 'x-script': env.SCRIPT })
    const override = request.headers.get('cloudflare-workers-version-overrides')
    if (override !== null) headers.set('x-override', override)
    const side = await (await env.SIDE.fetch('http://split/', { headers })).text()
    if (side === 'before') return env.BEFORE.fetch(request)
    const copy = request.clone()
    const answer = await env.AFTER.fetch(request)
    const marked = new Headers({ 'x-url': copy.url, 'x-method': copy.method, 'x-status': String(answer.status) })
    const body = await answer.arrayBuffer()
    const faulty = await env.FAULT.fetch('http://fault/', { method: 'POST', headers: marked, body })
    if (faulty.headers.get('x-faulty') === null) return new Response(answer.status === 204 ? null : body, answer)
    return new Response(faulty.body, { status: Number(faulty.headers.get('x-faulty')), headers: answer.headers })
  },
}`

/** What a fault makes of an answer: null for the answer as it is. */
export type Injected = (asked: { url: string; method: string; status: number; body: Buffer }) => {
  readonly status: number
  readonly body: string
} | null

/** Every pair of Workers behind a router; the first upload of a script is the version before. */
export function splitting(workers: Workers, { account, commits, random }: Split, injected: () => Injected): Worker[] {
  const { pairs, others } = pairsOf(workers)
  return [
    ...others,
    ...pairs.flatMap(({ now, before }) => {
      const { name = '', unsafeDirectSockets = [] } = now
      const side = (request: Request) => {
        const override = request.headers.get('x-override')
        const version = account.versionFor(request.headers.get('x-script') ?? '', override, random())
        return new Response(version === account.script(name).uploads[0]?.id ? 'before' : 'after')
      }
      const fault = async (request: Request) => {
        const [url, method] = [request.headers.get('x-url') ?? '', request.headers.get('x-method') ?? '']
        const body = Buffer.from(await request.arrayBuffer())
        const made = injected()({ url, method, status: Number(request.headers.get('x-status')), body })
        return made ? new Response(made.body, { headers: { 'x-faulty': String(made.status) } }) : new Response(null)
      }
      const router = {
        name: `${name}-router`,
        modules: [{ type: 'ESModule' as const, path: 'index.js', contents: ROUTER }],
        compatibilityDate: '2026-10-30',
        bindings: { SCRIPT: name },
        serviceBindings: { BEFORE: `${name}-previous`, AFTER: name, SIDE: side, FAULT: fault },
        unsafeDirectSockets,
      }
      const to = { objects: '-previous', services: '-previous' }
      return [
        router,
        withCommit(binding(without(now), to), commits.after),
        withCommit(binding(before, to), commits.before),
      ]
    }),
  ]
}

function withCommit(worker: Worker, commit: string): Worker {
  return { ...worker, bindings: { ...worker.bindings, COMMIT: commit, BUILD_SHA: commit } }
}
