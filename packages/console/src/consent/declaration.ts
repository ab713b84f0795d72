import type { Client, ConsentTimeline } from '@svc/client'

export type Answer = Awaited<ReturnType<Client['consent']['read']>>
export type Declared = Extract<Answer, { readonly found: true }>
export type Preferences = Declared['preferences']
export type Preference = keyof Preferences

/** What is said about a content now and before; the history is null if nobody ever said anything. */
export interface Declaration {
  readonly answer: Answer
  readonly history: ConsentTimeline | null
}

export async function readDeclaration(client: Client, identifier: string): Promise<Declaration> {
  const [answer, history] = await Promise.all([client.consent.read(identifier), client.consent.history(identifier)])
  return { answer, history }
}

/** Who holds the identifier, as far as somebody else may not declare for it. */
export function standingOf({ answer, history }: Declaration, did: string): 'free' | 'mine' | 'theirs' | 'nobodys' {
  if (answer.found && answer.creator_did === null) return 'nobodys'
  const holder = answer.found ? answer.creator_did : (history?.creatorDid ?? null)
  if (holder === null) return 'free'
  return holder === did ? 'mine' : 'theirs'
}

/** The members that differ from what is declared. Only those are sent and signed. */
export function changesOf(before: Preferences, after: Preferences): Preferences {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => value !== undefined && before[name as Preference] !== value),
  )
}
