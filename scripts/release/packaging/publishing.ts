/**
 * Under which names the packages are published, and where their code is. Change `publishing.json` before you publish
 * your own; names in the workspace stay as they are.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'

export interface Publishing {
  /** With the `@`. */
  readonly scope: string
  /** The address of the repository, without a slash at the end. */
  readonly repository: string
}

export const PUBLISHING = JSON.parse(readFileSync(join(ROOT, 'scripts/release/publishing.json'), 'utf8')) as Publishing

const WORKSPACE_NAMES = /@svc\/(?=(?:client|fingerprint|cli)\b)/g

/** A text that names the packages, with their published names, and without those that they include. */
export function withPublishedNames(text: string, { scope }: Publishing): string {
  return text.replace(/^\n?Depends on .*\n/m, '').replaceAll(WORKSPACE_NAMES, `${scope}/`)
}

/** What a registry shows of where a package comes from. Provenance needs the repository to be the one that publishes. */
export function originOf({ repository }: Publishing, folder: string) {
  return {
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
    publishConfig: { access: 'public', provenance: true },
  }
}
