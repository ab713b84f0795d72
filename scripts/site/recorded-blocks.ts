/**
 * Blocks of the pages that show what a running platform was asked and answered: `json recorded=core/listNotes/200`. Their
 * text is that of the recorded examples (`workers/core/examples.json`), long values by their ends.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shortened } from '@svc/service/markdown'
import { ROOT } from './root.ts'

type Recorded = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const BLOCK = /^```json recorded=([a-z]+)\/(\w+)\/(request|\d{3})\n[\s\S]*?^```$/gm

/** A page with its recorded blocks as they are recorded now. */
export function withRecorded(page: string, examplesOf: (service: string) => Recorded = readExamples): string {
  return page.replaceAll(BLOCK, (_, service: string, operation: string, body: string) => {
    const example = examplesOf(service)[operation]?.[body]
    if (example === undefined) throw new Error(`${service} has no recorded example ${operation}/${body}`)
    return `\`\`\`json recorded=${service}/${operation}/${body}\n${JSON.stringify(shortened(example), null, 2)}\n\`\`\``
  })
}

function readExamples(service: string): Recorded {
  return JSON.parse(readFileSync(join(ROOT, 'workers', service, 'examples.json'), 'utf8')) as Recorded
}
