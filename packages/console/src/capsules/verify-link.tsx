import { words } from '../words/capsules/words.ts'

/** Files are verified by their hash. For a text, the verifier needs the text. */
export function VerifyLink({ id, name }: { readonly id: string; readonly name: string }) {
  const hash = /^asset:sha3-384:([0-9a-f]{96})$/.exec(id)?.[1]
  if (hash === undefined) return null
  return (
    <a href={`/verify/#${hash}`} aria-label={`${words.check}: ${name}`}>
      {words.check}
    </a>
  )
}
