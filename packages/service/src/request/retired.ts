import type { ErrorName } from '@svc/protocol/http/errors'

/** Retired endpoints. They return 410 for every method except a preflight, before any credential is read. */
export interface Retired {
  /** A path template; `{x}` stands for one segment. With a trailing `/` it means the path and everything below it. */
  readonly path: string
  readonly error: ErrorName
}

/** A pattern that matches the paths of a template. */
export function templatePattern(template: string): RegExp {
  return new RegExp(`^${segments(template)}$`)
}

export function retiredMatcher(retired: readonly Retired[]): (path: string) => Retired | undefined {
  const patterns = retired.map((entry) => ({
    entry,
    pattern: entry.path.endsWith('/')
      ? new RegExp(`^${segments(entry.path.slice(0, -1))}(?:/.*)?$`)
      : templatePattern(entry.path),
  }))
  return (path) => patterns.find(({ pattern }) => pattern.test(path))?.entry
}

function segments(template: string): string {
  return template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^/}]+\}/g, '[^/]+')
}
