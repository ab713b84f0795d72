import type { CodeTerms } from '@svc/client/operator'
import { SaidError } from '../failures/sentences.ts'
import { Field } from '../shell/field.tsx'
import { words } from '../words/operator/words.ts'
import { words as paymentWords } from '../words/payments/words.ts'
import { Select } from './select.tsx'

/** As they are typed. */
export interface TypedTerms extends Pick<CodeTerms, 'tier'> {
  readonly days: string
}

/** The first paid tier, for long enough to try it. */
export const USUAL_TERMS: TypedTerms = { tier: 'provenance', days: '90' }

export function termsOf({ tier, days }: TypedTerms): CodeTerms {
  if (!/^[1-9][0-9]{0,3}$/.test(days) || Number(days) > 3660) throw new SaidError(words.wrongDays)
  return { tier, days: Number(days) }
}

interface TermsProps {
  readonly terms: TypedTerms
  readonly onTerms: (terms: TypedTerms) => void
}

export function Terms({ terms, onTerms }: TermsProps) {
  return (
    <div class="terms">
      <Select
        label={words.tier}
        options={paymentWords.tiers}
        value={terms.tier}
        onValue={(tier) => onTerms({ ...terms, tier })}
      />
      <Field
        label={words.days}
        value={terms.days}
        inputMode="numeric"
        maxLength={4}
        onValue={(days) => onTerms({ ...terms, days: days.trim() })}
      />
    </div>
  )
}
