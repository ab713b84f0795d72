import { execFileSync } from 'node:child_process'
import { ROOT, SetupError } from '@svc/platform/workspace'

/** Cloudflare limits a tag to 25 characters. */
const TAG_CHARS = 12
const CHANGED = '-changed'

/** The checked-out commit. Fails if files differ from it, because the deployment would carry its name. */
export function commitOf(allowDirty: boolean): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  const sha = git('rev-parse', 'HEAD')
  const isDirty = git('status', '--porcelain', '--', '.', ':!deployments') !== ''
  if (isDirty && !allowDirty) throw new SetupError('Files differ from the commit: commit them, or use --allow-dirty.')
  return isDirty ? sha + CHANGED : sha
}

/** The tag to find an upload by. Changed files get a tag that differs from their commit's. */
export function tagOf(sha: string): string {
  return sha.slice(0, TAG_CHARS) + (sha.endsWith(CHANGED) ? CHANGED : '')
}
