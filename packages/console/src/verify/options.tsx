import { Field } from '../shell/field.tsx'
import { FileField } from '../shell/file-field.tsx'
import { words } from '../words/verify-options/words.ts'
import { inputOf, type Settings } from './input.ts'

export interface OptionsProps {
  readonly settings: Settings
  readonly onSettings: (settings: Settings) => void
}

/** What a check may be told besides. Loaded when it is wanted. */
export function Options({ settings, onSettings }: OptionsProps) {
  const choose = async (file: File | null) => onSettings({ ...settings, content: file && (await inputOf(file)) })
  return (
    <>
      <Field
        label={words.expectedDid}
        hint={words.expectedDidHint}
        value={settings.expectedDid}
        onValue={(value) => onSettings({ ...settings, expectedDid: value.trim() })}
      />
      <FileField label={words.content} onFile={(file) => void choose(file)} />
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
    </>
  )
}
