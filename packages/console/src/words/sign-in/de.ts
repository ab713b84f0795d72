import type { SignInWords } from './en.ts'

export const words: SignInWords = {
  signIn: 'Anmelden',
  createAccount: 'Konto anlegen',
  recover: 'Konto wiederherstellen',
  or: 'oder',
  name: 'Benutzername oder E-Mail-Adresse',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  withPasskey: 'Mit einem Passkey anmelden',
  newHere: 'Neu hier?',
  lost: 'Passwort oder Passkey verloren?',
  enterBoth: 'Geben Sie Ihren Namen und Ihr Passwort ein.',
  wrongLogin: 'Name oder Passwort ist falsch. Prüfen Sie beides, oder stellen Sie Ihr Konto wieder her.',
  cancelledAtProvider:
    'Sie haben beim Anbieter abgebrochen. Wählen Sie einen anderen Weg oder versuchen Sie es erneut.',
  failedAtProvider:
    'Der Anbieter meldet einen Fehler. Versuchen Sie es später erneut, oder wählen Sie einen anderen Weg.',
  myAccount: 'Mein Konto',
  needsProvider: 'Für ein neues Konto brauchen Sie ein Konto bei einem der Anbieter unten.',
  cameFrom: (provider, isVerified) =>
    `Sie kommen von ${provider}${isVerified ? '; dort wurde Ihre E-Mail-Adresse bestätigt' : ''}. Wählen Sie nun, wie Sie sich anmelden wollen.`,
  nameHint: 'Bei einem Passkey zeigt Ihr Gerät diesen Namen. Er kann leer bleiben.',
  passwordHint: 'Mindestens 8 Zeichen. Es bleibt in diesem Browser: Der Dienst speichert nur, womit er es prüfen kann.',
  createWithPasskey: 'Mit einem Passkey anlegen',
  createWithPassword: 'Mit einem Passwort anlegen',
  orRecoverable: 'oder so, dass Sie es wiederherstellen können',
  haveAccount: 'Haben Sie schon ein Konto?',
  continueWith: (provider) => `Weiter mit ${provider}`,
  enterName: 'Geben Sie einen Benutzernamen oder Ihre E-Mail-Adresse ein.',
  nameTaken: 'Dieser Name ist vergeben. Wählen Sie einen anderen.',
  maybeSet:
    'Das Passwort, das Sie zuerst eingegeben haben, ist vielleicht schon gesetzt. Geben Sie es ein, oder stellen Sie Ihr Konto wieder her. Gehört der Name jemand anderem, wählen Sie einen anderen.',
  wrongName:
    'Geben Sie einen Benutzernamen oder eine E-Mail-Adresse ein. Ein Benutzername hat Buchstaben, Ziffern, Punkte, Bindestriche und Unterstriche.',
  enterSixDigits: 'Geben Sie die sechs Ziffern aus der E-Mail ein.',
  mailSent: (address) =>
    `Wir haben eine E-Mail an ${address} gesendet. Geben Sie den Code daraus innerhalb von zehn Minuten ein. Gehört die Adresse schon zu einem Konto, steht das stattdessen in der E-Mail.`,
  mailCode: 'Code aus der E-Mail',
  confirm: 'Bestätigen',
  tooShort: (characters) => `Nehmen Sie mindestens ${characters} Zeichen.`,
  notAtProvider: (provider) => `Zu Ihrem Konto bei ${provider} gibt es hier noch keines.`,
  createOne: 'Konto anlegen',
  recoverLead:
    'Haben Sie noch einen anderen Passkey oder Ihr Passwort, dann melden Sie sich damit an. Weisen Sie sich sonst mit dem Konto aus, das Sie beim Anlegen benutzt haben.',
  backToSignIn: 'Zurück zur Anmeldung',
  theProvider: 'Der Anbieter',
  newFactor: (provider) =>
    `${provider} bestätigt, dass Sie hier ein Konto haben. Können Sie sich noch anmelden, dann tun Sie das. Wählen Sie sonst einen neuen Weg. Er beendet alle Sitzungen des Kontos und öffnet Ihre Identität nicht: Holen Sie diese danach von einem anderen Gerät.`,
  addPasskey: 'Neuen Passkey hinzufügen',
  sameNameHint: 'Ihr bisheriger oder ein anderer.',
  shortHint: 'Mindestens 8 Zeichen.',
  setPassword: 'Neues Passwort setzen',
  challengeFailed: 'Die Prüfung, ob Sie ein Mensch sind, ist fehlgeschlagen. Laden Sie die Seite neu.',
  challengeNotLoaded: 'Die Prüfung, ob Sie ein Mensch sind, konnte nicht geladen werden. Versuchen Sie es noch einmal.',
  browserOn: (browser, system) => `${browser} unter ${system}`,
  browser: 'Browser',
}
