import type { LivingMutant } from './survivors.ts'

/** Mutants of one kind in every file, and why no test of the rules should notice them. */
export interface Kind {
  /** The call that has what is replaced in its arguments. */
  readonly call: RegExp
  /** The arguments before it. */
  readonly argumentsBefore?: RegExp
  readonly from: RegExp
  readonly to: readonly string[]
  readonly because: string
}

const TEXT = String.raw`(?:'[^']*'|"[^"]*"|\`[^\`]*\`)`
const MEMBER = String.raw`(?:id|description|example):\s*(?:${TEXT}(?:\s*\+\s*${TEXT})*|[\d_]+|'\w+'\.repeat\(\d+\))`
const EMPTY = ['""', '``']

/** Each is narrow enough that no rule is among them: words for people, in places that hold nothing else. */
export const KINDS: readonly Kind[] = [
  {
    call: /^meta$/,
    argumentsBefore: /(?:^\{|,)\s*(?:id|description|example):\s*(?:`[^`]*\$\{|(?:'[^']*'\s*\+\s*)*)?$/,
    from: new RegExp(`^${TEXT}$`),
    to: EMPTY,
    because: 'documents a schema: every openapi.json is compared with the document of the live routes',
  },
  {
    call: /^meta$/,
    argumentsBefore: /^$/,
    from: new RegExp(String.raw`^\{\s*${MEMBER}(?:,\s*${MEMBER})*,?\s*\}$`),
    to: ['{}'],
    because: 'documents a schema: every openapi.json is compared with the document of the live routes',
  },
  {
    call: /^(?:refine|regex)$/,
    argumentsBefore: /,\s*$/,
    from: /^'[^']* [^']*'$/,
    to: EMPTY,
    because: 'says to people what a member must be; that it is refused is tested',
  },
  {
    call: /^[A-Z]?[A-Za-z]*(?:Error|Fault)$/,
    argumentsBefore: /^\s*$/,
    from: /^(?:'[^']* [^']*'|`[^`]* [^`]*`)$/,
    to: EMPTY,
    because: 'words of an error for the log or for developers; that it is thrown is tested',
  },
]

export function isOfKind(mutant: LivingMutant, { call, argumentsBefore = /^/, from, to }: Kind): boolean {
  return (
    call.test(mutant.call) &&
    argumentsBefore.test(mutant.argumentsBefore) &&
    from.test(mutant.from) &&
    to.includes(mutant.to)
  )
}
