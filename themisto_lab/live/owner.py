"""What the owner of the record decides: options, settings, what is logged of their acts, what is forgotten."""

from __future__ import annotations

from datetime import datetime

from themisto_lab.context.select import ARMS
from themisto_lab.errors import BadInputError, ThemistoError
from themisto_lab.live.driver import LiveDriver
from themisto_lab.live.options import NotebookOptions
from themisto_lab.live.roster import chosen_model
from themisto_lab.live.session import Session
from themisto_lab.live.settings import Settings
from themisto_lab.store.records import ForgetCounts
from themisto_lab.types import JsonObject, PredictionError


class Owner:
    """Acts on a live driver for the person whose record it is.

    Parameters
    ----------
    driver
        The live driver.
    """

    def __init__(self, driver: LiveDriver) -> None:
        self._driver = driver
        self._configured = driver.settings

    async def choose(self, chosen: Settings) -> Settings:
        """Take over what a user chose; what they left out is as the server was configured.

        Parameters
        ----------
        chosen
            Only the fields that were given count (``model_fields_set``).

        Returns
        -------
        Settings
            The settings in force.
        """
        given = {name: getattr(chosen, name) for name in chosen.model_fields_set}
        settings = self._configured.model_copy(update=given)
        await self.change_settings(settings)
        return settings

    async def set_options(self, kernel_id: str, options: NotebookOptions) -> Session:
        """Take over a notebook's own options."""
        session = self._driver.session(kernel_id)
        if session.enabled and not options.enabled:
            await self._driver.board.give_up(session, list(session.open.values()), "cancelled")
            session.open.clear()  # what is ready stays in the store as never run
        session.enabled = options.enabled
        description = self._driver.redacted(options.task_description)
        if session.task_description != description:
            session.task_description = description
            if session.steps:
                store = self._driver.store_for(session)
                await store.update_trajectory(session.trajectory_id, task_description=description)
        self._driver.events.life(kernel_id, session.trajectory_id, "changed")
        return session

    async def change_settings(self, settings: Settings) -> None:
        """Take over new settings. What runs for a model that is no longer chosen is given up.

        Raises
        ------
        UnknownModelError
            If no predictor has the model's name.
        BadInputError
            If an arm is unknown.
        """
        self._driver.registry.get(settings.model)
        unknown = [arm for arm in settings.arms if arm not in ARMS]
        if unknown or not settings.arms:
            raise BadInputError(f"arms: {unknown or 'none given'}; known are {', '.join(ARMS)}.")
        old, self._driver.settings = self._driver.settings, settings
        if (old.model, old.arms, old.enabled, old.recording) == (
            settings.model,
            settings.arms,
            settings.enabled,
            settings.recording,
        ):
            return
        for session in self._driver.sessions():
            await self._driver.board.give_up(session, list(session.open.values()), "cancelled")
            session.shown.clear()  # what is ready is scored all the same, but it is not what was chosen now

    def current_trouble(self) -> ThemistoError | PredictionError | None:
        """Return the one thing that a person should mend, if any: the model's obstacle, or its latest failure."""
        _, found = chosen_model(self._driver.registry, self._driver.settings)
        return found or self._driver.board.last_failure

    async def feedback(self, prediction_id: str, action: str, detail: JsonObject) -> None:
        """Log what a person did with a prediction, in the store that it is in.

        Raises
        ------
        NotFoundError
            If there is no such prediction.
        """
        session = self._driver.session_of(prediction_id)
        store = self._driver.store if session is None else self._driver.store_for(session)
        await store.add_feedback(prediction_id, action, detail)

    async def forget(
        self, *, before: datetime | None, notebook: str | None, everything: bool, dry_run: bool
    ) -> ForgetCounts:
        """Erase what matches from the record, or count it. What this session holds in memory goes as well."""
        counts = await self._driver.store.forget(
            before=before, notebook=notebook, everything=everything, dry_run=dry_run
        )
        if not dry_run:
            for session in self._driver.sessions():
                if notebook in (None, session.life.notebook) and (before is None or session.began_before(before)):
                    await self._driver.forget_session(session)
        return counts
