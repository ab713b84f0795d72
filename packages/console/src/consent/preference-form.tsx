import { useId, useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Form } from '../shell/form.tsx'
import { words } from '../words/consent/words.ts'
import type { Preference, Preferences } from './declaration.ts'
import { choiceText, PREFERENCES } from './text.ts'

interface PreferenceFormProps {
  readonly before: Preferences
  /** What was declared can be changed, and not left out again. */
  readonly isMine: boolean
  readonly onSave: (chosen: Preferences) => Promise<void>
}

export function PreferenceForm({ before, isMine, onSave }: PreferenceFormProps) {
  const [chosen, setChosen] = useState(before)
  return (
    <Form onSend={() => onSave(chosen)}>
      <div class="preferences">
        {PREFERENCES.map((name) => (
          <Choice
            key={name}
            name={name}
            value={chosen[name]}
            isFixed={isMine && before[name] !== undefined}
            onValue={(value) => setChosen((now) => ({ ...now, [name]: value }))}
          />
        ))}
      </div>
      <Button>{words.save}</Button>
    </Form>
  )
}

type Value = Preferences[Preference]
const VALUES: readonly Value[] = ['allow', 'disallow']
const CONDITIONS: readonly Value[] = [true, false]

interface ChoiceProps {
  readonly name: Preference
  readonly value: Value
  readonly isFixed: boolean
  readonly onValue: (value: Value) => void
}

function Choice({ name, value, isFixed, onValue }: ChoiceProps) {
  const id = useId()
  const hint = words.preferenceHint[name]
  const usual = name === 'conditional' ? CONDITIONS : VALUES
  // Another program may have declared a condition in other words.
  const values = value === undefined || usual.includes(value) ? usual : [value, ...usual]
  const options: readonly Value[] = isFixed ? values : [undefined, ...values]
  return (
    <div class="field">
      <label for={id}>{words.preference[name]}</label>
      <select
        id={id}
        value={options.indexOf(value)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onValue(options[Number(currentTarget.value)])}
      >
        {options.map((option, index) => (
          <option key={String(option)} value={index}>
            {choiceText(option)}
          </option>
        ))}
      </select>
      {hint === undefined ? null : (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  )
}
