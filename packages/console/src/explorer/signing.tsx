import { words } from '../words/explorer/words.ts'
import type { Credential } from './asserters.ts'

const CREDENTIALS: readonly (readonly [Credential, string])[] = [
  ['throw-away', words.throwAway],
  ['own', words.own],
  ['nobody', words.nobody],
]

export function Signing({
  value,
  onValue,
}: {
  readonly value: Credential
  readonly onValue: (value: Credential) => void
}) {
  return (
    <div class="field">
      <label for="credential">{words.credential}</label>
      <select
        id="credential"
        value={value}
        aria-describedby="credential-hint"
        onChange={(event) => onValue(event.currentTarget.value as Credential)}
      >
        {CREDENTIALS.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
      <small id="credential-hint" class="hint">
        {value === 'throw-away' ? words.throwAwayLead : ''}
      </small>
    </div>
  )
}
