import { env } from 'cloudflare:workers'
import { afterEach, expect } from 'vitest'
import type { Exchanged } from '../projects/documented.ts'

// Every answer of the Worker under test is held to its published document.
interface Bindings {
  readonly TEST_APP: string
  readonly TEST_MAIN: string
  readonly TEST_DOCUMENT: Fetcher
  readonly TEST_RECORDS: boolean
}
const { TEST_APP, TEST_MAIN, TEST_DOCUMENT, TEST_RECORDS } = env as unknown as Bindings

type Fetch = (request: Request, ...rest: unknown[]) => Promise<Response>
const { app } = (await import(/* @vite-ignore */ TEST_APP)) as { app: { fetch: Fetch; exchanges?: Exchanged[] } }
const main = (await import(/* @vite-ignore */ TEST_MAIN)) as { default: { fetch: Fetch } }

// The files of a project share the modules of the Worker.
const exchanges = app.exchanges ?? recordedAt(app)
// A Worker with a cron trigger exports an object of its own, which has the handler of the app before it was wrapped.
main.default.fetch = app.fetch

afterEach(async () => {
  const made = exchanges.splice(0)
  if (made.length === 0) return
  const held = await TEST_DOCUMENT.fetch('http://document', { method: 'POST', body: JSON.stringify(made) })
  expect(await held.json(), 'answers that the document of the service does not have').toEqual([])
})

function recordedAt(recorded: typeof app): Exchanged[] {
  const made: Exchanged[] = []
  const { fetch } = recorded
  recorded.exchanges = made
  recorded.fetch = async (request, ...rest) => {
    const sent = TEST_RECORDS && isJson(request.headers) ? request.clone() : undefined
    const response = await fetch(request, ...rest)
    // Within the request: once it has ended, nothing reads its body any more.
    const copy = response.webSocket ? response : response.clone()
    made.push({ ...(await exchanged(request, copy)), request: await sent?.text() })
    return response
  }
  return made
}

async function exchanged({ method, url }: Request, response: Response): Promise<Exchanged> {
  const { status, headers } = response
  const body = isJson(headers) ? await response.text() : response.body === null ? '' : 'bytes'
  return { method, pathname: new URL(url).pathname, status, headers: Object.fromEntries(headers), body }
}

const isJson = (headers: Headers) => headers.get('content-type')?.includes('json') === true
