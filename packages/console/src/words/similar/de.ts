import type { SimilarWords } from './en.ts'

export const words: SimilarWords = {
  ask: 'Öffentliche Einträge suchen',
  askHint:
    'Bisher wurde niemand gefragt. Die Suche sendet den Hash dieser Datei an diesen Dienst. Sie findet nur, was auffindbar gemacht wurde.',
  similar: 'Kopien suchen',
  similarLead:
    'Registrierte Inhalte, die ähnlich aussehen oder klingen. Nur ein Fingerabdruck verlässt diesen Browser.',
  similarNone: 'Kein registrierter Inhalt ist ähnlich.',
  similarText: (percent) => `${percent} % der Passagen`,
  similarImage: (distance) => `${distance} von 256 Bits sind anders`,
  similarRefused: 'Dafür hat es zu wenig Text oder Einzelheiten.',
}
