import { inBrowser } from '../kept/web-storage.ts'

/** The languages of the console, by the name that each has in itself. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

const KEPT = 'console-language'

/** What was chosen here, or else the first language of the browser that there is. */
export const language: Language = kept() ?? preferred()

/** The console starts anew in another language: its texts are loaded once. */
export function chooseLanguage(chosen: Language): void {
  inBrowser.set(KEPT, chosen)
  location.reload()
}

function kept(): Language | null {
  const chosen = inBrowser.get(KEPT)
  return isKnown(chosen) ? chosen : null
}

function preferred(): Language {
  const known = navigator.languages?.map((tag) => tag.split('-')[0]).find(isKnown)
  return known ?? 'en'
}

function isKnown(tag: unknown): tag is Language {
  return typeof tag === 'string' && Object.hasOwn(LANGUAGES, tag)
}
