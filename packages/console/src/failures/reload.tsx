import { words } from '../words/shell/words.ts'

/** Loads the page again, in the version that is deployed now. */
export function Reload() {
  return (
    <button type="button" class="plain" onClick={() => location.reload()}>
      {words.reload}
    </button>
  )
}
