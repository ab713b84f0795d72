import type * as z from 'zod'

/** At most five issues of at most 200 characters: enough to fix a request, too little to echo it. */
export function issuesOf(target: string, error: z.core.$ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${[target, ...issue.path].join('.')}: ${sentenceOf(issue)}`.slice(0, 200))
    .join('; ')
}

/** Zod would quote the names of unknown members, which are the caller's input. */
function sentenceOf({ code, message }: z.core.$ZodIssue): string {
  return code === 'unrecognized_keys' ? 'Unrecognized key' : message
}
