import { Field } from '../shell/field.tsx'
import { words } from '../words/verify/words.ts'
import { inputOf, type Settings } from './input.ts'

interface OptionsProps {
  readonly settings: Settings
  readonly onSettings: (settings: Settings) => void
}

export function Options({ settings, onSettings }: OptionsProps) {
  const choose = async (file: File | undefined) =>
    onSettings({ ...settings, content: file === undefined ? null : await inputOf(file) })
  return (
    <details class="options">
      <summary>{words.options}</summary>
      <Field
        label={words.expectedDid}
        hint={words.expectedDidHint}
        value={settings.expectedDid}
        onValue={(value) => onSettings({ ...settings, expectedDid: value.trim() })}
      />
      <div class="field">
        <label for="content">{words.content}</label>
        <input id="content" type="file" onChange={(event) => void choose(event.currentTarget.files?.[0])} />
      </div>
      <Field
        label={words.logKey}
        value={settings.logKeyB64u}
        maxLength={4096}
        onValue={(value) => onSettings({ ...settings, logKeyB64u: value.trim() })}
      />
      <label class="choice">
        <input
          type="checkbox"
          checked={settings.isOffline}
          onChange={(event) => onSettings({ ...settings, isOffline: event.currentTarget.checked })}
        />
        {words.offline}
      </label>
    </details>
  )
}
