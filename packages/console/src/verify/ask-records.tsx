import { words } from '../words/similar/words.ts'

/** A file is looked for only when the person asks: its hash tells the services who looks at what. */
export function AskRecords({ onAsk }: { readonly onAsk: () => void }) {
  return (
    <div class="note">
      <p>{words.askHint}</p>
      <button type="button" onClick={onAsk}>
        {words.ask}
      </button>
    </div>
  )
}
