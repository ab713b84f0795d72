/**
 * Whole D1 databases by Cloudflare's API, as `wrangler d1 export` and `wrangler d1 execute --file` do it. A database
 * answers nobody in the meantime.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { SetupError } from '@svc/platform/workspace'
import type { CloudflareApi } from '../cloudflare-api.ts'

/** Enough for a few hundred megabytes. */
const TIMEOUT_MS = 600_000
/** A string has at most 2^29 characters. */
const MOST_BYTES = 500_000_000

type Post = Pick<CloudflareApi, 'post'>

/** An answer about an export or an import that goes on. */
interface Progress {
  readonly success?: boolean
  readonly status?: string
  readonly at_bookmark?: string
  readonly error?: string
  readonly upload_url?: string
  readonly filename?: string
  readonly result?: { readonly signed_url?: string }
}

/** The SQL of a database at one moment. An export that nobody asks about is cancelled, so this asks without a pause. */
export async function exportedSql(api: Post, id: string): Promise<string> {
  const ask = (bookmark?: string) =>
    api.post(`/d1/database/${id}/export`, {
      output_format: 'polling',
      dump_options: { no_schema: false, no_data: false },
      ...(bookmark === undefined ? {} : { current_bookmark: bookmark }),
    })
  const { result } = await completed('export', await ask(), ask)
  const response = await transfer(result?.signed_url)
  if (Number(response.headers.get('content-length')) <= MOST_BYTES) return response.text()
  throw new SetupError('The database is larger than 500 MB: export it with wrangler d1 export.')
}

/** Runs SQL in one step: if it fails, Cloudflare puts the database back as it was. */
export async function importSql(api: Post, id: string, sql: string): Promise<void> {
  // Not for security: Cloudflare names the upload by it.
  const etag = createHash('md5').update(sql).digest('hex')
  const ask = (body: object) => api.post(`/d1/database/${id}/import`, body)
  const begun = (await ask({ action: 'init', etag })) as Progress
  let progress: unknown = begun
  // Without an address the same SQL was uploaded before, and runs already.
  if (begun.upload_url !== undefined) {
    const { headers } = await transfer(begun.upload_url, { method: 'PUT', body: sql })
    if (headers.get('etag')?.replaceAll('"', '') !== etag)
      throw new SetupError('Cloudflare received other SQL than was sent: try again.')
    progress = await ask({ action: 'ingest', etag, filename: begun.filename })
  }
  await completed('import', progress, (bookmark) => ask({ action: 'poll', current_bookmark: bookmark }))
}

async function completed(
  what: string,
  first: unknown,
  ask: (bookmark?: string) => Promise<unknown>,
): Promise<Progress> {
  for (let progress = first as Progress; ; progress = (await ask(progress.at_bookmark)) as Progress) {
    if (progress.success !== true || progress.status === 'error')
      throw new SetupError(`Cloudflare could not complete the ${what}: ${progress.error ?? 'no details'}.`)
    if (progress.status === 'complete') return progress
  }
}

/** The address is a credential: no error has it, and the token of the API is not sent there. */
async function transfer(url: string | undefined, init: RequestInit = {}): Promise<Response> {
  if (url === undefined) throw new SetupError('Cloudflare named no address for the content of the database.')
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {
    throw new SetupError('The content of the database could not be transferred: try again.')
  })
  if (!response.ok)
    throw new SetupError(
      `The content of the database could not be transferred: Cloudflare answered ${response.status}.`,
    )
  return response
}
