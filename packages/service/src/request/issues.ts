import type * as z from 'zod'

/** At most five issues of at most 200 characters: enough to fix a request, too little to echo it. */
export function issuesOf(target: string, error: z.core.$ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${[target, ...issue.path].join('.')}: ${sentenceOf(issue)}`.slice(0, 200))
    .join('; ')
}

/** A name as APIs have them. Anything else is the caller's data in the wrong place, and is not repeated. */
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,39}$/

function sentenceOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message
  const names = issue.keys.filter((key) => NAME.test(key)).slice(0, 3)
  return ['Unrecognized key', names.join(', ')].filter(Boolean).join(' ')
}
