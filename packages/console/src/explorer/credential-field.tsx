import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { words } from '../words/explorer/words.ts'
import { canObtain, type Obtainable } from './obtain.ts'
import type { Scheme } from './schemes.ts'

interface CredentialFieldProps {
  readonly scheme: Scheme
  readonly value: string
  readonly onValue: (value: string) => void
  readonly onObtain: (scheme: Obtainable) => Promise<void>
}

/** A credential. What is secret is hidden, and kept nowhere but in the field. */
export function CredentialField({ scheme, value, onValue, onObtain }: CredentialFieldProps) {
  const { id, name, description, isRequired, isSecret } = scheme
  return (
    <div class="credential">
      <Field
        label={isRequired ? `${name} (${words.required})` : name}
        hint={description}
        value={value}
        onValue={onValue}
        isSecret={isSecret}
        maxLength={16_384}
      />
      {canObtain(id) ? (
        <Button look="quiet" onPress={() => onObtain(id)}>
          {words.obtain[id]}
        </Button>
      ) : null}
    </div>
  )
}
