import type * as z from 'zod'
import { plainIssues } from './plain-issues.ts'

/** At most five issues of at most 200 characters: enough to fix a request, too little to echo it. */
export function issuesOf(target: string, error: z.core.$ZodError): string {
  return plainIssues(error.issues)
    .slice(0, 5)
    .map((issue) => `${[target, ...issue.path].join('.')}: ${sentenceOf(issue)}`.slice(0, 200))
    .join('; ')
}

/** A name as APIs have them. What has digits inside may be a token in the wrong place: it is not repeated. */
const NAME = /^(?=.{1,40}$)[A-Za-z][A-Za-z_.-]*[0-9]{0,4}$/

function sentenceOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message
  const names = issue.keys.filter((key) => NAME.test(key)).slice(0, 3)
  return ['Unrecognized key', names.join(', ')].filter(Boolean).join(' ')
}
