import { language } from '../language.ts'

// Only the chosen language is loaded.
export const { words } = await (language === 'de' ? import('./de.ts') : import('./en.ts'))
