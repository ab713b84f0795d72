const START = 'did:svc:'.length

/** Tells the files of several identities apart. */
export function fileName(kind: 'backup' | 'for-operator' | 'recovery', did: string): string {
  return `${kind}-${did.slice(START, START + 8)}.json`
}
