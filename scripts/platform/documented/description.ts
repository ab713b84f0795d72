/**
 * The static files in which a Worker finds the description of its API: the OpenAPI document, which `/openapi.json` serves
 * byte for byte, and Markdown where the Worker has a route for it.
 *
 * @module
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DESCRIPTION_FILES } from '@svc/service/description-files'
import { markdownOf, operationsIn, type RenderedDocument } from '@svc/service/markdown'
import { ROOT, type WorkerName } from '../workspace.ts'

export type CommittedDocument = RenderedDocument

export const committedPath = (name: WorkerName) => join(ROOT, 'workers', name, 'openapi.json')

/** Writes the files into a folder, from the committed document unless told otherwise. */
export function writeDescription(name: WorkerName, folder: string, document = readCommitted(name)): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, DESCRIPTION_FILES.openapi), JSON.stringify(document))
  if (servesMarkdown(document)) writeFileSync(join(folder, DESCRIPTION_FILES.markdown), markdownOf(document))
}

/** Whether the folder has something at each place where the Worker looks. */
export function hasDescription(name: WorkerName, folder: string): boolean {
  const { openapi, markdown } = DESCRIPTION_FILES
  const needed = servesMarkdown(readCommitted(name)) ? [openapi, markdown] : [openapi]
  return needed.map((file) => join(folder, file)).every((path) => existsSync(path) && statSync(path).size > 0)
}

function readCommitted(name: WorkerName): CommittedDocument {
  return JSON.parse(readFileSync(committedPath(name), 'utf8')) as CommittedDocument
}

function servesMarkdown(document: CommittedDocument): boolean {
  return operationsIn(document).some(({ operation }) => operation.operationId?.startsWith('readMarkdown'))
}
