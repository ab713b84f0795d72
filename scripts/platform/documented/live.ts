/**
 * What the routes of a Worker say of themselves, as it mounts them.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { documentOf } from '@svc/service/document'
import { ROOT, type WorkerName } from '../workspace.ts'
import { type CommittedDocument, committedPath } from './description.ts'

type Service = Parameters<typeof documentOf>[0]
type Examples = Parameters<typeof documentOf>[1]

/** The OpenAPI document of a Worker, from its live routes and its recorded examples. */
export async function liveDocumentOf(name: WorkerName): Promise<CommittedDocument> {
  const folder = join(ROOT, 'workers', name)
  const { service } = (await import(pathToFileURL(join(folder, 'src/app.ts')).href)) as { service: Service }
  const examples = JSON.parse(readFileSync(join(folder, 'examples.json'), 'utf8')) as Examples
  return documentOf(service, examples)
}

/** A document as it is committed. */
export const committedText = (document: CommittedDocument) => `${JSON.stringify(document, null, 2)}\n`

/** Whether the committed document is another than that of the live routes. */
export function isStale(name: WorkerName, live: CommittedDocument): boolean {
  const path = committedPath(name)
  return !existsSync(path) || readFileSync(path, 'utf8') !== committedText(live)
}
