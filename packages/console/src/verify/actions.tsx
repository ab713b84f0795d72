import type { Kind } from '@svc/client/evidence'
import { shownTextOf } from '@svc/client/text'
import { useEffect, useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { words } from '../words/verdict/words.ts'
import { commandOf } from './command.ts'
import { fragmentOf } from './fragment.ts'
import type { Input, Settings } from './input.ts'
import { isEncrypted } from './verifying.ts'

interface ActionsProps {
  readonly kind: Kind
  readonly did: string | null
  readonly input: Input
  readonly settings: Settings
}

/** Bytes that are shown as they are. */
const MAX_SHOWN = 20_000

export function Actions({ kind, did, input, settings }: ActionsProps) {
  const [fragment, setFragment] = useState<string | null | undefined>(undefined)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    setCopied(false)
    // Keys are never put into a link.
    void (isEncrypted(kind) ? Promise.resolve(null) : fragmentOf(input)).then(setFragment)
  }, [input])
  const link = fragment ? `${location.origin}/verify/#${fragment}` : null
  const copy = async () => {
    if (link === null) return
    await navigator.clipboard.writeText(link)
    setCopied(true)
  }
  return (
    <footer>
      <div class="actions">
        <button type="button" class="plain" onClick={() => print()}>
          {words.print}
        </button>
        {link === null ? null : (
          <button type="button" class="plain" onClick={() => void copy()}>
            {words.link}
          </button>
        )}
        {did === null ? null : <a href={`/did/${did}`}>{words.identity}</a>}
      </div>
      <p role="status">{isCopied ? words.linkCopied : fragment === null && !isEncrypted(kind) ? words.tooBig : ''}</p>
      <h3>{words.command}</h3>
      <Exact class="code command">{commandOf(kind, input, settings)}</Exact>
      {kind === 'content' || isEncrypted(kind) ? null : (
        <details>
          <summary>{words.raw}</summary>
          <textarea readOnly rows={8} aria-label={words.raw} value={rawOf(input.bytes)} />
        </details>
      )}
    </footer>
  )
}

function rawOf(bytes: Uint8Array): string {
  const text = shownTextOf(bytes.subarray(0, MAX_SHOWN))
  return bytes.length > MAX_SHOWN ? `${text}…` : text
}
