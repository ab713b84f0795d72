import { words } from '../words/consent/words.ts'
import type { Preference, Preferences } from './declaration.ts'

/** In the order of the form. */
export const PREFERENCES = Object.keys(words.preference) as Preference[]

/** What was declared, in one line. */
export function declaredText(preferences: Preferences): string {
  return PREFERENCES.filter((name) => preferences[name] !== undefined)
    .map((name) => `${words.preference[name]}: ${choiceText(preferences[name])}`)
    .join(' · ')
}

export function choiceText(value: Preferences[Preference]): string {
  if (typeof value === 'boolean') return value ? words.yes : words.no
  return words.choice[value ?? 'undeclared']
}
